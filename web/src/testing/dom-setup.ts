/** Runs before each test file that renders. They share one document and all modules: what a test leaves there is put back. */
import { cleanup, configure } from "@testing-library/react";
import { afterEach } from "vitest";
import { noteAnswer } from "@/ui/connection";

// What a test waits for may take its time on a busy machine.
configure({ asyncUtilTimeout: 30_000 });

// jsdom has no modal dialogs and no layout.
HTMLDialogElement.prototype.showModal = function showModal() {
  this.open = true;
};
Element.prototype.scrollIntoView = () => undefined;
Element.prototype.scrollTo = () => undefined;

afterEach(() => {
  cleanup();
  localStorage.clear();
  sessionStorage.clear();
  history.replaceState(null, "", "/");
  noteAnswer(true);
});
