import { Alert, Button, Group, Text, TextInput } from '@mantine/core'
import { Section } from '../../parts/section.tsx'
import { filled, ratio, words } from '../../words/words.ts'
import { contrastWarnings } from './contrast.ts'
import { COLORS, type ColorName, colorOf, type FieldsProps } from './theme-draft.ts'

/** Initial colours of the picker if the theme has none. */
const FIRST = { accent: '#4f46e5', background: '#ffffff', foreground: '#1d1b20' } as const

export function ColorFields(props: FieldsProps) {
  const { draft, change } = props
  const { look } = words()
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
        {warnings.map(({ name, ratio: found, needed, shown }) => (
          <Alert key={name} color="yellow" mb="xs" data-contrast={name}>
            <Group gap="sm">
              <Text size="sm" className="grow">
                {filled(look[`contrast_${name}`], { ratio: ratio(found), needed: ratio(needed), shown })}
              </Text>
              <Button size="compact-sm" variant="default" onClick={() => change({ [name]: shown })}>
                <span className="swatch" style={{ background: shown }} />
                {filled(look.useShown, { shown })}
              </Button>
            </Group>
          </Alert>
        ))}
      </div>
    </Section>
  )
}

/** A colour is typed or picked; an empty field is the default. */
function ColorField({ draft, errors, change, name }: FieldsProps & { readonly name: ColorName }) {
  const { look } = words()
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
