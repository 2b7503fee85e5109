/** Input for a source, converted between its form and the API. */
import type { SettingConditionJson, SettingFieldJson } from "@/gen/echomind/public/v1/connector_pb";

/** Settings as JSON, by name. */
export type Settings = Record<string, unknown>;

/** Returns the fields that apply to the settings of a source, marked as required where these require them. */
export function applying(fields: readonly SettingFieldJson[], settings: readonly SettingFieldJson[], config: Settings): SettingFieldJson[] {
  const isMet = ({ setting = "", values = [] }: SettingConditionJson) => {
    const value = config[setting] ?? settings.find(({ name }) => name === setting)?.defaultValue;
    return values.some((one) => one === value);
  };
  return fields
    .filter(({ appliesWhen }) => !appliesWhen || isMet(appliesWhen))
    .map((field) => ({ ...field, required: field.required || (field.requiredWhen !== undefined && isMet(field.requiredWhen)) }));
}

/** Returns the values to send: entered ones, without empty fields. */
export function entered(fields: readonly SettingFieldJson[], values: Settings): Settings {
  const sent: Settings = {};
  for (const { name = "", kind, fields: parts = [] } of fields) {
    const value = values[name];
    if (kind === "SETTING_KIND_GROUP") {
      const group = entered(parts, (value ?? {}) as Settings);
      if (Object.keys(group).length > 0) sent[name] = group;
    } else if (kind === "SETTING_KIND_LIST") {
      const lines = (Array.isArray(value) ? (value as string[]) : []).map((line) => line.trim()).filter(Boolean);
      if (lines.length > 0) sent[name] = lines;
    } else if (kind === "SETTING_KIND_INTEGER" || kind === "SETTING_KIND_NUMBER") {
      if (value !== undefined && value !== "") sent[name] = Number(value);
    } else if (value !== undefined && value !== "") sent[name] = value;
  }
  return sent;
}

/** Whether all required fields are filled in. */
export function isComplete(fields: readonly SettingFieldJson[], values: Settings): boolean {
  const sent = entered(fields, values);
  return fields.every(({ name = "", required, fields: parts = [] }) => {
    const value = sent[name];
    if (value === undefined) return !required;
    return parts.length === 0 || isComplete(parts, value as Settings);
  });
}

/** Returns the title of the field at a path, such as `application.tenant`; undefined for none. */
function titleAt(fields: readonly SettingFieldJson[], path: string): string | undefined {
  const [name, ...rest] = path.split(".");
  const field = fields.find((each) => each.name === name);
  return field && rest.length > 0 ? titleAt(field.fields ?? [], rest.join(".")) : field?.title;
}

/** Returns the titles of the fields that an error names, once each. */
export function faultyTitles(fields: readonly SettingFieldJson[], faults: Readonly<Record<string, string>>): string[] {
  return [...new Set(Object.keys(faults).flatMap((path) => titleAt(fields, path) ?? []))];
}

/** Returns an error's messages for the fields below a path, by field name; `[0]` of a list belongs to the list. */
export function faultsOf(metadata: Readonly<Record<string, string>>, path: string): Record<string, string> {
  const faults: Record<string, string> = {};
  for (const [place, rule] of Object.entries(metadata)) {
    if (place.startsWith(`${path}.`)) faults[place.slice(path.length + 1).replace(/\[\d+\]/g, "")] = rule;
  }
  return faults;
}
