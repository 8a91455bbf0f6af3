import { Alert, Button, Group, Text, TextInput } from '@mantine/core'
import { Section } from '../../parts/section.tsx'
import { formWords } from '../../words/form-words.ts'
import { filled, ratio } from '../../words/words.ts'
import { contrastWarnings } from './contrast.ts'
import { COLORS, type ColorName, colorOf, type FieldsProps } from './theme-draft.ts'

/** Initial colours of the picker if the theme has none. */
const FIRST = { accent: '#4f46e5', background: '#ffffff', foreground: '#1d1b20' } as const

export function ColorFields(props: FieldsProps) {
  const { draft, change } = props
  const { look } = formWords()
  const warnings = contrastWarnings({
    accent: colorOf(draft.accent) ?? null,
    background: colorOf(draft.background) ?? null,
    foreground: colorOf(draft.foreground) ?? null,
  })
  return (
    <Section title={look.colors}>
      <div className="fields">
        {COLORS.map((name) => (
          <ColorField key={name} name={name} {...props} />
        ))}
      </div>
      <div role="status">
        {warnings.map((warning) => (
          <Warning key={warning.name} warning={warning} change={change} />
        ))}
      </div>
    </Section>
  )
}

interface WarningProps extends Pick<FieldsProps, 'change'> {
  readonly warning: ReturnType<typeof contrastWarnings>[number]
}

/** A text in another colour is changed in the theme too, if the person wants; an accent is shown as it is. */
function Warning({ warning: { name, ratio: found, needed, shown }, change }: WarningProps) {
  const { look } = formWords()
  const isText = name === 'foreground'
  const said = isText ? look.contrast_foreground : formWords().theme[name]
  const swatch = <span className="swatch" style={{ background: shown }} />
  return (
    <Alert color={isText ? 'yellow' : 'gray'} mb="xs" data-contrast={isText ? name : 'accent'}>
      <Group gap="sm">
        {!isText && swatch}
        <Text size="sm" className="grow">
          {filled(said, { ratio: ratio(found), needed: ratio(needed), shown })}
        </Text>
        {isText && (
          <Button size="compact-sm" variant="default" onClick={() => change({ foreground: shown })}>
            {swatch}
            {filled(look.useShown, { shown })}
          </Button>
        )}
      </Group>
    </Alert>
  )
}

/** A colour is typed or picked; an empty field is the default. */
function ColorField({ draft, errors, change, name }: FieldsProps & { readonly name: ColorName }) {
  const { look } = formWords()
  const label = look[name]
  const color = colorOf(draft[name])
  return (
    <TextInput
      label={label}
      description={look[`${name}Text`]}
      placeholder={look.none}
      value={draft[name]}
      error={errors[name]}
      maxLength={7}
      spellCheck={false}
      dir={draft[name] === '' ? undefined : 'ltr'}
      leftSection={
        <input
          type="color"
          className={color ? 'color' : 'color none'}
          aria-label={`${look.pick}: ${label}`}
          value={color ?? FIRST[name]}
          onChange={(event) => change({ [name]: event.currentTarget.value })}
        />
      }
      onChange={(event) => change({ [name]: event.currentTarget.value })}
    />
  )
}
