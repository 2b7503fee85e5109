/** The prompt of a step, for pages outside of the chat. */
export { StepPromptDialog } from "./trace/StepPromptDialog";
