import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { SessionShareStatusJson } from "@/gen/echomind/public/v1/session_share_pb";
import type { LinkSharingJson } from "@/gen/echomind/public/v1/system_pb";
import { type ByMember, ofMember } from "@/ui/members";

/** Why a share does not work, for its owner; none for one that works. */
const STATUS: ByMember<SessionShareStatusJson, MessageDescriptor | undefined> = {
  SESSION_SHARE_STATUS_OPEN: undefined,
  SESSION_SHARE_STATUS_EXPIRED: msg`Expired`,
  SESSION_SHARE_STATUS_SOURCES_LOST: msg`Source no longer readable`,
  SESSION_SHARE_STATUS_FORBIDDEN: msg`Sharing is off`,
  SESSION_SHARE_STATUS_SESSION_REMOVED: msg`Conversation removed`,
};

/** Returns the words for a status; undefined for a share that works. */
export function statusWords(status: SessionShareStatusJson | undefined) {
  return ofMember(STATUS, status);
}

/** Expiry of a share in days. */
export const LIFETIMES = [
  { value: "1", label: msg`1 day` },
  { value: "7", label: msg`7 days` },
  { value: "30", label: msg`30 days` },
  { value: "90", label: msg`90 days` },
  { value: "365", label: msg`1 year` },
];

/** Who may open links, as set by superadmins. */
export const READERS: readonly { value: LinkSharingJson; label: ReturnType<typeof msg> }[] = [
  { value: "LINK_SHARING_ANYONE", label: msg`Anyone with the link` },
  { value: "LINK_SHARING_SIGNED_IN", label: msg`Anyone with the link who is signed in` },
  { value: "LINK_SHARING_NOBODY", label: msg`Nobody: sharing is off` },
];
