import { expect, test } from "vitest";
import type { AnswerBasisJson } from "@/gen/echomind/public/v1/chat_message_pb";
import { renderInApp } from "@/testing/render";
import { BasisNote } from "./BasisNote";

test.each<[AnswerBasisJson | undefined, string]>([
  ["ANSWER_BASIS_NO_SOURCE_FOUND", "No source found"],
  ["ANSWER_BASIS_MODEL_ONLY", "From the model alone, without your documents"],
  ["ANSWER_BASIS_OTHER", "From web pages, knowledge, memories or tools, not from your documents"],
  ["ANSWER_BASIS_SOURCES", ""],
  [undefined, ""],
])("an answer with the basis %s says %j", (basis, words) => {
  expect(renderInApp(<BasisNote basis={basis} />).container.textContent).toBe(words);
});

test("other tools that were used are named, whatever the answer stands on", () => {
  const { container } = renderInApp(<BasisNote basis="ANSWER_BASIS_SOURCES" tools={["Search the web", "List pages (wiki)"]} />);
  expect(container.textContent).toBe("Also used: Search the web, List pages (wiki)");
});
