import { useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { providerCallbackUrl } from "@/api/routes";
import { useSaveIdentityProvider } from "@/data/identity-providers";
import type { EmailTrustJson, IdentityProviderJson } from "@/gen/echomind/public/v1/identity_provider_pb";
import { CheckField, SelectField, TextArea, TextField } from "@/ui/Field";
import { FormDialog } from "@/ui/FormDialog";
import { pairsOf, textOf } from "./pairs";

/** Adds a provider, or changes one. */
export function ProviderDialog({ provider = {}, onClose }: { provider?: IdentityProviderJson; onClose: () => void }) {
  const { t } = useLingui();
  const { id = 0, mapping } = provider;
  const [values, setValues] = useState({
    name: provider.name ?? "",
    title: provider.title ?? "",
    issuer: provider.issuer ?? "",
    clientId: provider.clientId ?? "",
    clientSecret: "",
    scopes: provider.scopes ?? "",
    audience: provider.audience ?? "",
    emailDomains: (provider.emailDomains ?? []).join(" "),
    groupsClaim: mapping?.groupsClaim ?? "",
    scimClaim: mapping?.scimClaim ?? "",
    groups: textOf(mapping?.groups),
    roles: textOf(mapping?.roles),
    requiredClaims: textOf(mapping?.requiredClaims),
  });
  const [emailTrust, setEmailTrust] = useState<EmailTrustJson>(provider.emailTrust ?? "EMAIL_TRUST_CLAIM");
  const [createAccounts, setCreateAccounts] = useState(provider.createAccounts ?? true);
  const [isActive, setActive] = useState(provider.isActive ?? true);
  const save = useSaveIdentityProvider();
  const field = (name: keyof typeof values) => ({
    value: values[name],
    onChange: (event: { target: { value: string } }) => setValues({ ...values, [name]: event.target.value }),
  });
  const submit = () =>
    save.mutateAsync({
      ...(id ? { id } : { name: values.name }),
      title: values.title,
      issuer: values.issuer,
      clientId: values.clientId,
      ...(values.clientSecret && { clientSecret: values.clientSecret }),
      scopes: values.scopes,
      audience: values.audience,
      emailTrust,
      emailDomains: values.emailDomains.split(/[\s,]+/).filter(Boolean),
      createAccounts,
      mapping: {
        groupsClaim: values.groupsClaim,
        scimClaim: values.scimClaim,
        groups: pairsOf(values.groups),
        roles: pairsOf(values.roles),
        requiredClaims: pairsOf(values.requiredClaims),
      },
      isActive,
    });
  return (
    <FormDialog title={id ? t`Edit ${provider.name ?? ""}` : t`Add a provider`} action={id ? t`Save` : t`Add`} onSubmit={submit} onClose={onClose}>
      {!id && (
        <TextField label={t`Name`} required maxLength={40} pattern="[a-z][a-z0-9_]*" hint={t`Small letters, digits and _. It cannot be changed later.`} {...field("name")} />
      )}
      {values.name && <TextField label={t`Redirect address, for the provider`} readOnly value={providerCallbackUrl(values.name)} />}
      <TextField label={t`Title on the sign-in page (optional)`} maxLength={100} {...field("title")} />
      <TextField label={t`Issuer`} type="url" required maxLength={500} hint={t`Exactly as in the provider's discovery document.`} {...field("issuer")} />
      <TextField label={t`Client ID`} required maxLength={500} {...field("clientId")} />
      <TextField
        label={t`Client secret`}
        type="password"
        autoComplete="off"
        maxLength={4000}
        hint={provider.hasClientSecret ? t`Leave blank to keep the stored one.` : undefined}
        {...field("clientSecret")}
      />
      <TextField label={t`Scopes`} placeholder="openid profile email" maxLength={1000} {...field("scopes")} />
      <SelectField
        label={t`Verified e-mail addresses`}
        value={emailTrust}
        options={[
          { value: "EMAIL_TRUST_CLAIM", label: t`Those that the provider calls verified` },
          { value: "EMAIL_TRUST_DOMAINS", label: t`Those of these domains` },
          { value: "EMAIL_TRUST_NEVER", label: t`None` },
        ]}
        onChange={(trust) => setEmailTrust(trust as EmailTrustJson)}
      />
      {emailTrust === "EMAIL_TRUST_DOMAINS" && <TextField label={t`Domains`} required placeholder="example.org" {...field("emailDomains")} />}
      <TextField label={t`Claim with the groups`} placeholder="groups" maxLength={200} {...field("groupsClaim")} />
      <TextArea label={t`Groups by the provider's groups`} rows={3} placeholder="staff-research=research" hint={t`One in a line: theirs, an equals sign, ours.`} {...field("groups")} />
      <TextArea label={t`Roles by the provider's groups`} rows={2} placeholder="echomind-admins=superadmin" {...field("roles")} />
      <TextArea label={t`Claims that a person must have`} rows={2} placeholder="hd=example.org" {...field("requiredClaims")} />
      <TextField label={t`Claim with the ID at SCIM`} placeholder="sub" maxLength={200} hint={t`Where a SCIM client maintains the people: its externalId. For Entra: oid.`} {...field("scimClaim")} />
      <TextField label={t`Audience of bearer tokens (optional)`} maxLength={500} hint={t`Programs may then send access tokens of the provider for this audience.`} {...field("audience")} />
      <CheckField label={t`People without an account get one at the first sign-in`} checked={createAccounts} onChange={setCreateAccounts} />
      <CheckField label={t`People can sign in with it`} checked={isActive} onChange={setActive} />
    </FormDialog>
  );
}
