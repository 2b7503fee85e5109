/** Labels of the mappings of source people to accounts. */
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { SourcePersonMappingJson } from "@/gen/echomind/public/v1/source_permission_pb";
import { type ByMember, ofMember } from "@/ui/members";

export const MAPPINGS: ByMember<SourcePersonMappingJson, { label: MessageDescriptor; tone: "neutral" | "accent" | "warn" }> = {
  SOURCE_PERSON_MAPPING_EMAIL: { label: msg`By e-mail address`, tone: "neutral" },
  SOURCE_PERSON_MAPPING_ALIAS: { label: msg`By alias`, tone: "accent" },
  SOURCE_PERSON_MAPPING_NO_ACCOUNT: { label: msg`No account`, tone: "warn" },
  SOURCE_PERSON_MAPPING_UNVERIFIED: { label: msg`Address not verified`, tone: "warn" },
  SOURCE_PERSON_MAPPING_AMBIGUOUS: { label: msg`Address of several people`, tone: "warn" },
  SOURCE_PERSON_MAPPING_ACCOUNT_DELETED: { label: msg`Account deleted`, tone: "warn" },
};

/** Whether a mapping leads to an account. */
export function isMapped(mapping: SourcePersonMappingJson | undefined): boolean {
  return mapping === "SOURCE_PERSON_MAPPING_EMAIL" || mapping === "SOURCE_PERSON_MAPPING_ALIAS";
}

/** Returns how a mapping is shown; undefined for groups, which have none. */
export function mappingOf(mapping: SourcePersonMappingJson | undefined) {
  return ofMember(MAPPINGS, mapping);
}
