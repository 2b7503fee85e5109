import { msg, plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { Link } from "wouter";
import { memoriesQuery, memorySearchQuery, readAllMemories, useDeleteAllMemories, useDeleteMemory } from "@/data/memories";
import { usePreferences } from "@/data/preferences";
import { hasRole, useCurrentUser } from "@/data/users";
import type { MemoryJson } from "@/gen/echomind/public/v1/memory_pb";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { CheckField } from "@/ui/Field";
import { SearchBox } from "@/ui/filters";
import { formatMoment, formatPercent } from "@/ui/format";
import { Page } from "@/ui/Page";
import { QueryView } from "@/ui/QueryView";
import { Row, Rows } from "@/ui/Rows";
import { ShowMore } from "@/ui/ShowMore";
import { showFailure } from "@/ui/toasts";
import { MemoryDialog } from "./MemoryDialog";
import { MemorySwitch } from "./MemorySwitch";
import styles from "./memories.module.css";

const TYPES = {
  MEMORY_TYPE_UNSPECIFIED: msg`Fact`,
  MEMORY_TYPE_SEMANTIC: msg`Fact`,
  MEMORY_TYPE_EPISODIC: msg`Event`,
  MEMORY_TYPE_PROCEDURAL: msg`Way of working`,
};

/** Memories of the reader across conversations. */
export function MemoriesPage() {
  const { t } = useLingui();
  const { preferences, change } = usePreferences();
  const [query, setQuery] = useState("");
  const [withHistory, setWithHistory] = useState(false);
  const [edited, setEdited] = useState<MemoryJson>();
  const [deleted, setDeleted] = useState<MemoryJson>();
  const [isClearing, setClearing] = useState(false);
  const remove = useDeleteMemory();
  const clear = useDeleteAllMemories();
  const wanted = query.trim();
  const list = useInfiniteQuery(memoriesQuery(withHistory));
  const search = useQuery(memorySearchQuery(wanted));
  const found = wanted ? search : list;
  const memories = wanted
    ? search.data?.hits?.flatMap(({ memory }) => (memory ? [memory] : []))
    : list.data?.pages.flatMap((page) => page.memories ?? []);
  const isOff = preferences.memoryOff ?? false;
  const changed = (by: number | undefined, when: string) => (by ? t`changed ${when} by you` : t`changed ${when} by EchoMind`);
  const isSuperadmin = hasRole(useCurrentUser(), "ROLE_SUPERADMIN");
  return (
    <Page
      title={t`Memory`}
      section={t`Settings`}
      description={t`What assistants remember about you across conversations. Only you can see it.`}
      actions={
        <div className={styles.bar}>
          <Button onClick={() => void saveAll().catch(showFailure)}>
            <Trans>Export</Trans>
          </Button>
          <Button onClick={() => setClearing(true)}>
            <Trans>Delete all</Trans>
          </Button>
          <Button variant="primary" onClick={() => setEdited({})}>
            <Plus size={16} /> <Trans>Add memory</Trans>
          </Button>
        </div>
      }
    >
      <CheckField
        label={t`Remember me across conversations`}
        checked={!isOff}
        onChange={(isOn) => void change({ memoryOff: !isOn }).catch(showFailure)}
      />
      {isSuperadmin && <MemorySwitch />}
      <div className={styles.bar}>
        <SearchBox label={t`Search memories`} value={query} onChange={setQuery} />
        {!wanted && <CheckField label={t`Show replaced memories`} checked={withHistory} onChange={setWithHistory} />}
      </div>
      <QueryView error={found.error} onRetry={found.refetch} isPending={!memories} label={t`Loading memories`} />
      {memories && (
        <Rows label={t`Memories`} whenEmpty={wanted ? t`No matching memories.` : t`No memories yet.`}>
          {memories.map((memory) => (
            <Row
              key={memory.id}
              name={memory.content ?? ""}
              isSentence
              badges={<Badges memory={memory} />}
              facts={[
                t(TYPES[memory.memoryType ?? "MEMORY_TYPE_UNSPECIFIED"]),
                formatMoment(memory.creationDate),
                t`importance ${formatPercent(Number(memory.importanceScore ?? 0.5))}`,
                t`confidence ${formatPercent(Number(memory.confidence ?? 0))}`,
                (memory.accessCount ?? 0) > 0 && plural(memory.accessCount ?? 0, { one: "used once", other: "used # times" }),
                !memory.validTo && memory.lastUpdate && changed(memory.updatedBy, formatMoment(memory.lastUpdate)),
                memory.expiresAt && t`until ${formatMoment(memory.expiresAt)}`,
              ]}
              actions={
                <>
                  {!memory.validTo && (
                    <Button size="sm" aria-label={t`Edit ${memory.content ?? ""}`} onClick={() => setEdited(memory)}>
                      <Trans>Edit</Trans>
                    </Button>
                  )}
                  <Button size="sm" aria-label={t`Delete ${memory.content ?? ""}`} onClick={() => setDeleted(memory)}>
                    <Trans>Delete</Trans>
                  </Button>
                </>
              }
            >
              {memory.sourceSessionId && (
                <Link href={`/chat/${memory.sourceSessionId}`} className={styles.source}>
                  <Trans>From a conversation</Trans>
                </Link>
              )}
            </Row>
          ))}
        </Rows>
      )}
      {!wanted && <ShowMore of={list} />}
      {edited && <MemoryDialog memory={edited} onClose={() => setEdited(undefined)} />}
      {deleted && (
        <ConfirmDialog
          title={t`Delete this memory?`}
          text={t`“${deleted.content ?? ""}” and its earlier versions are deleted permanently.`}
          action={t`Delete`}
          onConfirm={() => remove.mutateAsync(deleted.id ?? 0)}
          onClose={() => setDeleted(undefined)}
        />
      )}
      {isClearing && (
        <ConfirmDialog
          title={t`Delete all memories?`}
          text={t`All memories about you are deleted permanently, with their history.`}
          action={t`Delete all`}
          onConfirm={() => clear.mutateAsync(undefined)}
          onClose={() => setClearing(false)}
        />
      )}
    </Page>
  );
}

function Badges({ memory }: { memory: MemoryJson }) {
  return (
    <>
      {memory.trust === "MEMORY_TRUST_DERIVED" && (
        <Badge tone="warn">
          <Trans>Not stated by you</Trans>
        </Badge>
      )}
      {memory.validTo && (
        <Badge tone="neutral">
          <Trans>Replaced</Trans>
        </Badge>
      )}
    </>
  );
}

/** Saves all memories as a file. */
async function saveAll(): Promise<void> {
  const blob = new Blob([JSON.stringify({ memories: await readAllMemories() }, null, 2)], { type: "application/json" });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = "memories.json";
  link.click();
  URL.revokeObjectURL(link.href);
}
