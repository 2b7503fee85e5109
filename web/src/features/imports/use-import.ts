/** Imports conversations one after the other, and counts what becomes of them. */
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { ApiError } from "@/api/http";
import { sessionKeys } from "@/data/sessions";
import { importChatSession, importUserChatSession } from "@/gen/echomind/public/v1/import_service_client";
import { NO_ADDRESSES, addressesIn, ownerOf, type Addresses, type Owner } from "./owners";
import { readExport } from "./read-export";

/** A conversation or file that could not be imported. */
export interface Failure {
  title: string;
  reason: string;
}

/** What became of the conversations so far. */
export interface Report {
  total: number;
  created: number;
  known: number;
  omittedParts: number;
  ratings: number;
  omittedRatings: number;
  mergedSteps: number;
  failures: readonly Failure[];
  /** People without an account, and how many conversations of theirs there are. */
  unmatched: readonly (Owner & { conversations: number })[];
  isOver: boolean;
}

/** For whom conversations are imported: for the caller, or for their people, with a file of their addresses if there is one. */
export type Recipients = "caller" | { people: File | undefined };

const NOTHING: Report = { total: 0, created: 0, known: 0, omittedParts: 0, ratings: 0, omittedRatings: 0, mergedSteps: 0, failures: [], unmatched: [], isOver: false };
const REFUSED = 400;
const NOT_FOUND = 404;

/** The report of the import that runs or ran last, if there is one, and the function that starts one. */
export function useImport(): { report: Report | undefined; start: (files: readonly File[], recipients: Recipients) => Promise<void> } {
  const client = useQueryClient();
  const [report, setReport] = useState<Report>();
  const isGone = useRef(false);
  useEffect(() => {
    isGone.current = false;
    return () => {
      isGone.current = true;
    };
  }, []);
  const start = async (files: readonly File[], recipients: Recipients) => {
    let now = NOTHING;
    const set = (changes: Partial<Report>) => {
      now = { ...now, ...changes };
      setReport(now);
    };
    const fail = (title: string, error: unknown) => set({ failures: [...now.failures, { title, reason: error instanceof Error ? error.message : String(error) }] });
    set({});
    let addresses: Addresses | undefined;
    try {
      addresses = await addressesFor(recipients);
    } catch (error) {
      fail((recipients !== "caller" && recipients.people?.name) || "", error);
      set({ isOver: true });
      return;
    }
    for (const file of files) {
      const conversations = await readExport(file).catch((error: unknown) => {
        fail(file.name, error);
        return [];
      });
      set({ total: now.total + conversations.length });
      for (const { title, content } of conversations) {
        if (isGone.current) return;
        const owner = addresses && ownerOf(content, addresses);
        const known = owner && now.unmatched.find(({ name, email }) => name === owner.name && email === owner.email);
        const count = (of: Owner) => set({ unmatched: [...now.unmatched.filter((each) => each !== known), { ...of, conversations: (known?.conversations ?? 0) + 1 }] });
        if (owner && (known || !owner.email)) {
          count(owner);
          continue;
        }
        try {
          const { isNew = false, omittedParts = 0, ratings = 0, omittedRatings = 0, mergedSteps = 0 } = owner ? await importUserChatSession({ content, email: owner.email }) : await importChatSession({ content });
          set({
            created: now.created + Number(isNew),
            known: now.known + Number(!isNew),
            omittedParts: now.omittedParts + omittedParts,
            ratings: now.ratings + ratings,
            omittedRatings: now.omittedRatings + omittedRatings,
            mergedSteps: now.mergedSteps + mergedSteps,
          });
        } catch (error) {
          if (owner && error instanceof ApiError && error.status === NOT_FOUND && error.metadata["resource"] === "user") {
            count(owner);
            continue;
          }
          fail(title, error);
          // Without the server, all others would fail in the same way; another person may have what this one has not.
          if (!(error instanceof ApiError) || !(error.status === REFUSED || (owner && error.status === NOT_FOUND))) break;
        }
      }
    }
    set({ isOver: true });
    await client.invalidateQueries({ queryKey: sessionKeys.lists });
  };
  return { report, start };
}

async function addressesFor(recipients: Recipients): Promise<Addresses | undefined> {
  if (recipients === "caller") return undefined;
  return recipients.people ? addressesIn(recipients.people.name, await recipients.people.text()) : NO_ADDRESSES;
}
