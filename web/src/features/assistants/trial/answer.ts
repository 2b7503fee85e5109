/** State of a test run, computed from its events. Pure: events in, state out. */
import { errorWords } from "@/api/error-words";
import { approvalQuestion } from "@/features/chat/approvals";
import { uncheckedCitations } from "@/features/citations/citations";
import type { CitationJson, SourceJson } from "@/gen/echomind/public/v1/chat_message_pb";
import type { PendingInputJson } from "@/gen/echomind/public/v1/run_pb";
import type { SessionEventJson } from "@/gen/echomind/public/v1/session_event_pb";

/** A call of a tool. */
export interface TriedCall {
  id: string;
  name: string;
  status: string;
}

/** A question that was tried, with its answer so far. */
export interface Trial {
  question: string;
  runId: string;
  text: string;
  citations: readonly CitationJson[];
  /** The sources found so far, and the numbers of those that the text cites, in order. */
  sources: readonly SourceJson[];
  cited: readonly number[];
  calls: readonly TriedCall[];
  /** The input that it waits for: a text or an approval; empty if none. */
  waitsFor: string;
  /** Why it failed; empty if it did not. */
  failure: string;
  isOver: boolean;
  tokens: number;
  durationMs: number;
}

/** A question that has just been asked. */
export function newTrial(question: string): Trial {
  return { question, runId: "", text: "", citations: [], sources: [], cited: [], calls: [], waitsFor: "", failure: "", isOver: false, tokens: 0, durationMs: 0 };
}

/** Applies an event; those of sub-agents and of other runs are ignored. */
export function withTrialEvent(trial: Trial, event: SessionEventJson): Trial {
  const { runId = "", queued, sources, delta, snapshot, toolCall, inputRequested, status, finished } = event;
  if (queued) return { ...trial, runId: trial.runId || runId };
  if (snapshot) return withCited({ ...trial, text: snapshot.text ?? "" }, snapshot.citedSources);
  if (delta) return withCited({ ...trial, text: trial.text.slice(0, delta.offset ?? 0) + (delta.text ?? ""), waitsFor: "" }, delta.citedSources);
  if (runId !== trial.runId) return trial;
  if (sources) return withCited({ ...trial, sources: [...trial.sources, ...(sources.sources ?? [])] }, undefined);
  if (toolCall) return { ...trial, calls: withCall(trial.calls, toolCall.toolCallId ?? "", toolCall.toolName, toolCall.status) };
  if (inputRequested) return { ...trial, waitsFor: request(inputRequested.pendingInput) };
  if (status) return { ...trial, waitsFor: status.status === "RUN_STATUS_RUNNING" ? "" : trial.waitsFor };
  if (!finished) return trial;
  return {
    ...trial,
    text: finished.message?.content ?? trial.text,
    citations: finished.message?.citations ?? [],
    failure: finished.error ? errorWords(finished.error.reason ?? "", finished.error.message ?? "") : "",
    waitsFor: "",
    isOver: true,
    tokens: Number(finished.promptTokens ?? 0) + Number(finished.completionTokens ?? 0),
    durationMs: Number(finished.durationMs ?? 0),
  };
}

/** The numbers of a text become sources while it is written. */
function withCited(trial: Trial, numbers: readonly number[] | undefined): Trial {
  const cited = numbers && numbers.length > trial.cited.length ? numbers : trial.cited;
  return { ...trial, cited, citations: uncheckedCitations(cited, trial.sources) };
}

function withCall(calls: readonly TriedCall[], id: string, name: string | undefined, status: string | undefined): readonly TriedCall[] {
  const before = calls.find((call) => call.id === id);
  const call = { id, name: name ?? before?.name ?? "", status: status ?? before?.status ?? "" };
  return before ? calls.map((one) => (one.id === id ? call : one)) : [...calls, call];
}

/** The requested input of a run: its question, or the approval of calls. */
function request(pending: PendingInputJson | undefined): string {
  const { kind, question = "", toolCalls = [] } = pending ?? {};
  return kind === "PENDING_INPUT_KIND_APPROVAL" ? approvalQuestion(toolCalls) : question;
}
