/** How far todos are, in words. */
import type { TodoStatusJson } from "@/gen/echomind/public/v1/todo_pb";

const STATUSES = {
  TODO_STATUS_PENDING: "Not begun",
  TODO_STATUS_IN_PROGRESS: "Being worked on",
  TODO_STATUS_COMPLETED: "Done",
  TODO_STATUS_CANCELLED: "Not needed any more",
  TODO_STATUS_FAILED: "Failed",
};

/** How far a todo may be. */
export const TODO_STATUSES = Object.keys(STATUSES) as (keyof typeof STATUSES)[];

/** How far a todo is, in words. */
export function todoLabel(status: TodoStatusJson | undefined): string {
  return STATUSES[!status || status === "TODO_STATUS_UNSPECIFIED" ? "TODO_STATUS_PENDING" : status];
}
