import { formatMoment, formatTimestamp } from "./format";

/** A time as `format` writes it, to the minute when one points at it. */
export function Moment({ at, format = formatMoment }: { at: string | undefined; format?: (at: string | undefined) => string }) {
  return (
    <time dateTime={at} title={formatTimestamp(at)}>
      {format(at)}
    </time>
  );
}
