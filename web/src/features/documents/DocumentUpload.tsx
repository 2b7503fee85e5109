/** Where files are dropped or chosen, for pages of other features. */
export { UploadArea as DocumentUpload } from "./uploads/UploadArea";
