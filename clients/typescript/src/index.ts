/**
 * Typed client of EchoMind: a function for each method of the API.
 *
 *     const client = new EchoMind({ url: "http://127.0.0.1:8080", apiKey });
 *     const { hits = [] } = await search(client, { query: "paid leave" });
 */
export { EchoMind, type EchoMindOptions } from "./client.js";
export { downloadDocument, uploadDocuments, type UploadOptions } from "./files.js";
export { ApiError } from "./errors.js";
export type { Call, CallOptions, Stream } from "./call.js";
