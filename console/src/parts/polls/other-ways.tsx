import { Button, Group, Stack, Text } from '@mantine/core'
import { useBrand } from '../../session/brand.ts'
import { resultWords } from '../../words/result-words.ts'

interface WaysProps {
  /** The path of the page for a screen in a room. */
  readonly stage: string
  /** The path of the page for one device of many voters with codes. */
  readonly kiosk?: string | undefined
  readonly onResults: () => void
}

/** For people in a room, and for people who want the numbers. */
export function OtherWays({ stage, kiosk, onResults }: WaysProps) {
  const { mayEdit } = useBrand()
  const { spread, links } = resultWords()
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <Button component="a" href={stage} target="_blank" variant="default" size="compact-sm">
          {spread.present}
        </Button>
        <Text size="xs" c="dimmed">
          {spread.presentText}
        </Text>
      </Group>
      {kiosk && (
        <Group gap="xs">
          <Button component="a" href={kiosk} target="_blank" variant="default" size="compact-sm">
            {spread.kiosk}
          </Button>
          <Text size="xs" c="dimmed">
            {spread.kioskText}
          </Text>
        </Group>
      )}
      {mayEdit && (
        <Group gap="xs">
          <Button variant="default" size="compact-sm" onClick={onResults}>
            {links.title}
          </Button>
          <Text size="xs" c="dimmed">
            {links.short}
          </Text>
        </Group>
      )}
    </Stack>
  )
}
