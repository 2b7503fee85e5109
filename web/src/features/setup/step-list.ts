/** The first steps as the pages name them. */
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { SetupJson, SetupStepJson, SetupStepKindJson } from "@/gen/echomind/public/v1/setup_pb";

/** A step that the pages know. */
export interface Step {
  kind: SetupStepKindJson;
  /** The last part of its address. */
  slug: string;
  label: MessageDescriptor;
}

const STEPS: readonly Step[] = [
  { kind: "SETUP_STEP_KIND_PROFILE", slug: "profile", label: msg`Tell us your name` },
  { kind: "SETUP_STEP_KIND_PASSWORD", slug: "password", label: msg`Set a password` },
  { kind: "SETUP_STEP_KIND_MODEL", slug: "model", label: msg`Connect a model` },
  { kind: "SETUP_STEP_KIND_DOCUMENTS", slug: "documents", label: msg`Add documents` },
  { kind: "SETUP_STEP_KIND_QUESTION", slug: "question", label: msg`Ask a question` },
];

/** The user's steps in order, with their status. */
export function stepsOf(setup: SetupJson): (Step & Pick<SetupStepJson, "status">)[] {
  return (setup.steps ?? []).flatMap(({ kind, status }) => STEPS.filter((step) => step.kind === kind).map((step) => ({ ...step, ...(status && { status }) })));
}

/** Whether a step is done. */
export function isDone({ status }: SetupStepJson): boolean {
  return status === "SETUP_STEP_STATUS_DONE";
}
