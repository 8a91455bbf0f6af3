import { NativeSelect, Radio, Stack, Switch, Text, Textarea, UnstyledButton } from '@mantine/core'
import { themePresets } from '../../../../sdk/src/index.ts'
import type { PlacedProblem } from '../../parts/messages/messages.ts'
import { firstUnder } from '../../parts/messages/messages.ts'
import { Section } from '../../parts/section.tsx'
import { formWords } from '../../words/form-words.ts'
import { filled } from '../../words/words.ts'
import { AssetField } from './asset-field.tsx'
import { ColorFields } from './color-fields.tsx'
import { CssField } from './css-field.tsx'
import {
  ASSETS,
  BEHAVIOURS,
  type BehaviourName,
  CHOICES,
  type ChoiceName,
  type FieldsProps,
  PRESETS,
} from './theme-draft.ts'

export function ThemeFields(props: FieldsProps & { readonly refusals: readonly PlacedProblem[] }) {
  const { draft, errors, refusals, uploads, change } = props
  const { look } = formWords()
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
        {draft.fontStack === 'INHERIT' && <p className="note">{formWords().theme.inheritText}</p>}
        <Switch
          label={look.hideWatermark}
          checked={draft.hideWatermark}
          onChange={(event) => change({ hideWatermark: event.currentTarget.checked })}
        />
      </Section>
      <Behaviours {...props} />
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

/** The end of a link that shares an answer. */
const ANSWER_FORM = '?side=A'

function Behaviours(props: FieldsProps) {
  const { theme: its } = formWords()
  return (
    <Section title={its.visitors}>
      <div className="behaviours">
        {(Object.keys(BEHAVIOURS) as BehaviourName[]).map((name) => (
          <Behaviour key={name} name={name} {...props} />
        ))}
      </div>
    </Section>
  )
}

function Behaviour({ draft, change, name }: FieldsProps & { readonly name: BehaviourName }) {
  const { theme: its } = formWords()
  const text = (value: string) => (its as Readonly<Record<string, string>>)[`${name}_${value}`] ?? value
  const note = name === 'shareResults' ? filled(its.shareResultsNote, { form: ANSWER_FORM }) : undefined
  return (
    <Radio.Group
      label={its[name]}
      description={note}
      inputWrapperOrder={['label', 'input', 'description']}
      value={draft[name]}
      onChange={(value) => change({ [name]: value })}
    >
      <Stack gap="xs" mt={8} mb={note === undefined ? 0 : 8}>
        {BEHAVIOURS[name].map((value) => (
          <Radio key={value} value={value} label={text(value)} description={text(`${value}_text`)} />
        ))}
      </Stack>
    </Radio.Group>
  )
}

/** The name of a value, such as `radius_MD`. */
const labelOf = (name: ChoiceName, value: string): string =>
  (formWords().look as Readonly<Record<string, string>>)[`${name}_${value}`] ?? value

function Presets({ change }: Pick<FieldsProps, 'change'>) {
  const { look } = formWords()
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
