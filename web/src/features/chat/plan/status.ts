/** How far todos are, in words. */
import type { TodoStatusJson } from "@/gen/echomind/public/v1/todo_pb";

const STATUSES = {
  TODO_STATUS_PENDING: "Pending",
  TODO_STATUS_IN_PROGRESS: "In progress",
  TODO_STATUS_COMPLETED: "Done",
  TODO_STATUS_CANCELLED: "Cancelled",
  TODO_STATUS_FAILED: "Failed",
};

/** How far a todo may be. */
export const TODO_STATUSES = Object.keys(STATUSES) as (keyof typeof STATUSES)[];

/** How far a todo is, in words. */
export function todoLabel(status: TodoStatusJson | undefined): string {
  return STATUSES[!status || status === "TODO_STATUS_UNSPECIFIED" ? "TODO_STATUS_PENDING" : status];
}
