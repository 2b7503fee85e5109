import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { erasurePreviewQuery } from "@/data/privacy";
import { LoadFailure } from "@/ui/LoadFailure";
import { Spinner } from "@/ui/Spinner";
import { ErasureItems } from "./ErasureItems";

/** What the erasure of a person would delete, hand over and keep; counted when it is opened. */
export function ErasurePreview({ userId }: { userId: number }) {
  const { t } = useLingui();
  const [isOpen, setOpen] = useState(false);
  const { data, error, refetch } = useQuery({ ...erasurePreviewQuery(userId), enabled: isOpen });
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{t`What is deleted, handed over and kept`}</summary>
      {error && <LoadFailure error={error} onRetry={refetch} />}
      {isOpen && !data && !error && <Spinner label={t`Loading`} />}
      {data && <ErasureItems items={data.items ?? []} />}
    </details>
  );
}
