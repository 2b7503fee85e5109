import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { assistantsQuery } from "@/data/assistants";
import { languageWord, themeWord, usePreferences } from "@/data/preferences";
import type { PreferencesJson } from "@/gen/echomind/public/v1/preferences_pb";
import { CheckField, SelectField } from "@/ui/Field";
import { FormRow, FormSection } from "@/ui/Form";
import { LOCALES, useLocale, type Locale } from "@/ui/locale";
import { Page } from "@/ui/Page";
import { useCtrl } from "@/ui/shortcuts";
import { THEMES, useTheme, type Theme } from "@/ui/theme";
import { showFailure, showToast } from "@/ui/toasts";
import { RunOptionsFields } from "./RunOptionsFields";

/** Preferences of the reader; each choice applies immediately, in every browser. */
export function PreferencesPage() {
  const { t } = useLingui();
  const { ctrl } = useCtrl();
  const { preferences, change } = usePreferences();
  const { data: assistants = [] } = useQuery(assistantsQuery);
  const theme = useTheme();
  const [locale] = useLocale();
  const save = (changes: PreferencesJson) => void change(changes).catch(showFailure);
  const standard = assistants.find(({ isDefault }) => isDefault)?.name ?? "";
  const notify = async (isOn: boolean) => {
    if (isOn && (await Notification.requestPermission()) !== "granted") {
      showToast({ message: t`The browser does not allow notifications. Allow them for this site first.`, tone: "danger" });
      return;
    }
    save({ notifications: isOn });
  };
  return (
    <Page title={t`Preferences`} section={t`Settings`} description={t`Changes apply immediately, wherever you are signed in.`}>
      <div>
        <FormSection title={t`Appearance and language`}>
          <FormRow>
            <SelectField
              label={t`Language`}
              value={locale ?? ""}
              options={[{ value: "", label: t`As the browser` }, ...Object.entries(LOCALES).map(([value, label]) => ({ value, label }))]}
              onChange={(value) => save({ language: languageWord((value || undefined) as Locale | undefined) })}
            />
            <SelectField
              label={t`Theme`}
              value={theme}
              options={THEMES.map(({ value, label }) => ({ value, label: t(label) }))}
              onChange={(value) => save({ theme: themeWord(value as Theme) })}
            />
            <SelectField
              label={t`Density`}
              value={preferences.density ?? "DENSITY_UNSPECIFIED"}
              options={[
                { value: "DENSITY_UNSPECIFIED", label: t`Comfortable` },
                { value: "DENSITY_COMPACT", label: t`Compact` },
              ]}
              onChange={(value) => save({ density: value as NonNullable<PreferencesJson["density"]> })}
            />
          </FormRow>
        </FormSection>
        <FormSection title={t`Chat`}>
          <SelectField
            label={t`Send a question with`}
            value={preferences.sendKey ?? "SEND_KEY_UNSPECIFIED"}
            options={[
              { value: "SEND_KEY_UNSPECIFIED", label: t`Enter (Shift+Enter for a new line)` },
              { value: "SEND_KEY_CTRL_ENTER", label: t`${ctrl}+Enter (Enter for a new line)` },
            ]}
            onChange={(value) => save({ sendKey: value as NonNullable<PreferencesJson["sendKey"]> })}
          />
          <CheckField
            label={t`Follow answers while they are being written`}
            checked={preferences.followAnswers !== false}
            onChange={(followAnswers) => save({ followAnswers })}
          />
          <CheckField
            label={t`Notify me when a run ends or waits for me while I am on another page`}
            checked={preferences.notifications ?? false}
            onChange={(isOn) => void notify(isOn)}
          />
          <CheckField
            label={t`Single-key shortcuts`}
            checked={preferences.singleKeyShortcuts !== false}
            onChange={(singleKeyShortcuts) => save({ singleKeyShortcuts })}
          />
        </FormSection>
        <FormSection title={t`New conversations`} description={t`Options of a single question take precedence.`}>
          <SelectField
            label={t`Assistant`}
            value={String(preferences.defaultAssistantId ?? 0)}
            options={[
              { value: "0", label: standard ? t`The default assistant (${standard})` : t`The default assistant` },
              ...assistants.map(({ id = 0, name = "" }) => ({ value: String(id), label: name })),
            ]}
            onChange={(value) => save({ defaultAssistantId: Number(value) })}
          />
          <RunOptionsFields options={preferences.runOptions ?? {}} onChange={(runOptions) => save({ runOptions })} />
        </FormSection>
      </div>
    </Page>
  );
}
