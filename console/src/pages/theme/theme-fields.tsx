import { NativeSelect, Stack, Switch, Text, Textarea, UnstyledButton } from '@mantine/core'
import { themePresets } from '../../../../sdk/src/index.ts'
import type { PlacedProblem } from '../../parts/messages/messages.ts'
import { Section } from '../../parts/section.tsx'
import { words } from '../../words/words.ts'
import { AssetField } from './asset-field.tsx'
import { ColorFields } from './color-fields.tsx'
import { CssField } from './css-field.tsx'
import { ASSETS, CHOICES, type ChoiceName, type FieldErrors, type FieldsProps, PRESETS } from './theme-draft.ts'

export function ThemeFields(props: FieldsProps & { readonly refusals: readonly PlacedProblem[] }) {
  const { draft, errors, refusals, uploads, change } = props
  const { look } = words()
  return (
    <Stack gap="md">
      <Presets change={change} />
      <ColorFields {...props} />
      <Section title={look.shape}>
        <div className="fields">
          {(Object.keys(CHOICES) as ChoiceName[]).map((name) => (
            <NativeSelect
              key={name}
              label={look[name]}
              value={draft[name]}
              onChange={(event) => change({ [name]: event.currentTarget.value })}
              data={CHOICES[name].map((value) => ({ value, label: labelOf(name, value) }))}
            />
          ))}
        </div>
        <Switch
          label={look.hideWatermark}
          checked={draft.hideWatermark}
          onChange={(event) => change({ hideWatermark: event.currentTarget.checked })}
        />
      </Section>
      <Section title={look.pictures}>
        {ASSETS.map((name) => (
          <AssetField
            key={name}
            name={name}
            asset={draft[name]}
            error={errors[name]}
            sent={uploads[name]}
            onChange={(asset) => change({ [name]: asset })}
          />
        ))}
      </Section>
      <Section title={look.origins}>
        <Textarea
          aria-label={look.origins}
          description={look.originsText}
          value={draft.embedOrigins}
          error={errors['embedOrigins'] ?? firstUnder(errors, 'embedOrigins')}
          rows={3}
          dir="ltr"
          spellCheck={false}
          onChange={(event) => change({ embedOrigins: event.currentTarget.value })}
        />
      </Section>
      <CssField
        value={draft.customCss}
        refusals={refusals}
        error={errors['customCss']}
        onChange={(customCss) => change({ customCss })}
      />
    </Stack>
  )
}

/** The name of a value, such as `radius_MD`. */
const labelOf = (name: ChoiceName, value: string): string =>
  (words().look as Readonly<Record<string, string>>)[`${name}_${value}`] ?? value

/** The problem of an item is shown at its list. */
const firstUnder = (errors: FieldErrors, path: string): string | undefined =>
  Object.entries(errors).find(([each]) => each.startsWith(`${path}.`) || each.startsWith(`${path}[`))?.[1]

function Presets({ change }: Pick<FieldsProps, 'change'>) {
  const { look } = words()
  return (
    <Section title={look.presets}>
      <Text size="sm" c="dimmed">
        {look.presetsText}
      </Text>
      <div className="presets">
        {PRESETS.map((name) => {
          const { background, foreground, accent } = themePresets[name]
          return (
            <UnstyledButton
              key={name}
              className="preset"
              style={{ background, color: foreground }}
              onClick={() => change(themePresets[name])}
            >
              <span className="preset-accent" style={{ background: accent }} />
              {look[`preset_${name}`]}
            </UnstyledButton>
          )
        })}
      </div>
    </Section>
  )
}
