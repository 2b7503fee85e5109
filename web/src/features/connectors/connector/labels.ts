/** Labels of connector types and statuses. */
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { ConnectorStatusJson, ConnectorTypeJson } from "@/gen/echomind/public/v1/connector_pb";
import { type ByMember, ofMember } from "@/ui/members";

const TYPES: ByMember<ConnectorTypeJson, MessageDescriptor> = {
  CONNECTOR_TYPE_FILE: msg`Collection of files`,
  CONNECTOR_TYPE_WEB: msg`Web sites`,
  CONNECTOR_TYPE_STORAGE: msg`Storage`,
  CONNECTOR_TYPE_GOOGLE_DRIVE: msg`Google Drive`,
  CONNECTOR_TYPE_ONEDRIVE: msg`Microsoft OneDrive`,
  CONNECTOR_TYPE_TEAMS: msg`Microsoft Teams`,
};

/** States that people should know of. */
export const STATES: ByMember<ConnectorStatusJson, { label: MessageDescriptor; tone: "accent" | "warn" | "danger" } | undefined> = {
  CONNECTOR_STATUS_PENDING: undefined,
  CONNECTOR_STATUS_ACTIVE: undefined,
  CONNECTOR_STATUS_SYNCING: { label: msg`Syncing`, tone: "accent" },
  CONNECTOR_STATUS_NEEDS_ATTENTION: { label: msg`Needs attention`, tone: "warn" },
  CONNECTOR_STATUS_ERROR: { label: msg`Sync failed`, tone: "danger" },
  CONNECTOR_STATUS_DISABLED: { label: msg`Switched off`, tone: "warn" },
};

/** Returns the label of a connector type. */
export function typeLabel(type: ConnectorTypeJson | undefined): MessageDescriptor {
  return ofMember(TYPES, type) ?? msg`Connector`;
}
