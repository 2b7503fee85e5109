/** Imports conversations one after the other, and counts what becomes of them. */
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { ApiError } from "@/api/http";
import { sessionKeys } from "@/data/sessions";
import { importChatSession } from "@/gen/echomind/public/v1/import_service_client";
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
  isOver: boolean;
}

const NOTHING: Report = { total: 0, created: 0, known: 0, omittedParts: 0, ratings: 0, omittedRatings: 0, mergedSteps: 0, failures: [], isOver: false };
const REFUSED = 400;

/** The report of the import that runs or ran last, if there is one, and the function that starts one. */
export function useImport(): { report: Report | undefined; start: (files: readonly File[]) => Promise<void> } {
  const client = useQueryClient();
  const [report, setReport] = useState<Report>();
  const isGone = useRef(false);
  useEffect(() => {
    isGone.current = false;
    return () => {
      isGone.current = true;
    };
  }, []);
  const start = async (files: readonly File[]) => {
    let now = NOTHING;
    const set = (changes: Partial<Report>) => {
      now = { ...now, ...changes };
      setReport(now);
    };
    const fail = (title: string, error: unknown) => set({ failures: [...now.failures, { title, reason: error instanceof Error ? error.message : String(error) }] });
    set({});
    for (const file of files) {
      const conversations = await readExport(file).catch((error: unknown) => {
        fail(file.name, error);
        return [];
      });
      set({ total: now.total + conversations.length });
      for (const { title, content } of conversations) {
        if (isGone.current) return;
        try {
          const { isNew = false, omittedParts = 0, ratings = 0, omittedRatings = 0, mergedSteps = 0 } = await importChatSession({ content });
          set({
            created: now.created + Number(isNew),
            known: now.known + Number(!isNew),
            omittedParts: now.omittedParts + omittedParts,
            ratings: now.ratings + ratings,
            omittedRatings: now.omittedRatings + omittedRatings,
            mergedSteps: now.mergedSteps + mergedSteps,
          });
        } catch (error) {
          fail(title, error);
          // Without the server, all others would fail in the same way.
          if (!(error instanceof ApiError) || error.status !== REFUSED) break;
        }
      }
    }
    set({ isOver: true });
    await client.invalidateQueries({ queryKey: sessionKeys.lists });
  };
  return { report, start };
}
