/** Uploads of files, for pages of other features. */
export { UploadArea as DocumentUpload } from "./uploads/UploadArea";
export { UploadList } from "./uploads/UploadList";
export { chosenFiles, droppedFiles, type DroppedFile } from "./uploads/dropped-files";
