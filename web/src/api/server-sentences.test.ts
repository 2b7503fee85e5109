import { expect, test } from "vitest";
import { inGerman } from "./server-sentences";

test("a sentence is found with its values", () => {
  expect(inGerman("The file is empty.")).toBe("Die Datei ist leer.");
  expect(inGerman("This is an archive, not a document. Upload the files in it, or pack them as ZIP.")).toBe(
    "Das ist ein Archiv, kein Dokument. Laden Sie die Dateien darin hoch, oder packen Sie sie als ZIP.",
  );
  expect(inGerman("It is larger than 200,000,000 bytes, the largest file that is stored.")).toMatch(/^Sie hat mehr als 200\.000\.000 Bytes;/);
  expect(inGerman("Trying again soon, attempt 2 of 3 failed: A server that EchoMind needs did not answer.")).toBe(
    "Bald neuer Versuch; Versuch 2 von 3 schlug fehl: Ein Server, den EchoMind braucht, hat nicht geantwortet.",
  );
});

test("of several sentences each is found, and one that is not known stays", () => {
  expect(inGerman("HTTP 404: no such drive (id 7). Grant access.")).toBe("HTTP 404: no such drive (id 7). Gewähren Sie Zugriff.");
  expect(inGerman("Google Drive refuses a request (HTTP 403: It is closed.). The account needs the right to share it, as an editor or manager has it.")).toMatch(
    /^Google Drive lehnt eine Anfrage ab \(HTTP 403: It is closed\.\)\. Das Konto braucht/,
  );
  expect(inGerman("Made by a plugin. The file is empty.")).toBe("Made by a plugin. Die Datei ist leer.");
  expect(inGerman("")).toBe("");
});

test("a name in a sentence stays as it is", () => {
  expect(inGerman("Read Read me.txt")).toBe("Read me.txt lesen");
  expect(inGerman("Not everybody may read the documents 1, 2 and others, which it was drawn from, or they are not there any more.")).toBe(
    "Nicht alle dürfen die Dokumente 1, 2 und weitere lesen, aus denen es stammt, oder sie wurden entfernt.",
  );
});

test("a fault of a model's server has no English around its names", () => {
  expect(inGerman("openai at 127.0.0.1:9 cannot be reached (Connection refused); check that it runs")).toBe(
    "openai bei 127.0.0.1:9 ist nicht erreichbar (Connection refused); prüfen Sie, ob der Server läuft",
  );
});
