/** Labels and icons of document kinds and statuses. */
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { File, FileArchive, FileCode, FileImage, FileSpreadsheet, FileText, FileType, Mail, Presentation, type LucideIcon } from "lucide-react";
import type { DocumentJson } from "@/gen/echomind/public/v1/document_pb";
import type { KindWord, StatusWord, VisibleWord } from "./filter";

export const KIND_LABELS: Readonly<Record<KindWord, { label: MessageDescriptor; icon: LucideIcon }>> = {
  pdf: { label: msg`PDF`, icon: FileType },
  word: { label: msg`Text document`, icon: FileText },
  spreadsheet: { label: msg`Spreadsheet`, icon: FileSpreadsheet },
  presentation: { label: msg`Presentation`, icon: Presentation },
  text: { label: msg`Plain text`, icon: FileText },
  web_page: { label: msg`Web page`, icon: FileCode },
  email: { label: msg`E-mail`, icon: Mail },
  image: { label: msg`Image`, icon: FileImage },
  archive: { label: msg({ message: `Archive`, context: "noun" }), icon: FileArchive },
  other: { label: msg`Other`, icon: File },
};

export const STATUS_LABELS: Readonly<Record<StatusWord, MessageDescriptor>> = {
  completed: msg`Ready`,
  processing: msg`Processing`,
  pending: msg`Waiting`,
  failed: msg`Failed`,
};

export const VISIBLE_LABELS: Readonly<Record<VisibleWord, MessageDescriptor>> = {
  any: msg`Visible to anyone`,
  me: msg`Visible to one person`,
  group: msg`Visible to a group`,
  everyone: msg`Visible to everyone`,
};

/** The kind of a document as a word. */
export function kindWordOf({ kind }: DocumentJson): KindWord {
  const word = kind?.replace("DOCUMENT_KIND_", "").toLowerCase();
  return word !== undefined && word in KIND_LABELS ? (word as KindWord) : "other";
}

/** Returns the path of an upload, which says its folder; of a synced document, whose ID says nothing, its file's name. */
export function pathOf({ fileName = "", sourceId = "" }: DocumentJson): string {
  return sourceId.endsWith(fileName) ? sourceId : fileName;
}

/** Returns the title of a document. */
export function nameOf({ title, sourceId }: DocumentJson): string {
  return title || sourceId || "";
}
