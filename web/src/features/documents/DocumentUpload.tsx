/** A drop zone for files, for pages of other features. */
export { UploadArea as DocumentUpload } from "./uploads/UploadArea";
