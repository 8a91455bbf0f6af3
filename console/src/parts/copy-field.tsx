import { Button, CopyButton, Group, Text } from '@mantine/core'
import { words } from '../words/words.ts'

interface CopyFieldProps {
  readonly label: string
  readonly text?: string
  readonly value: string
}

/** A value to be copied. */
export function CopyField({ label, text, value }: CopyFieldProps) {
  const { common } = words()
  return (
    <div>
      <Group justify="space-between" wrap="nowrap" align="flex-end" mb={4}>
        <div>
          <Text size="sm" fw={600}>
            {label}
          </Text>
          {text && (
            <Text size="xs" c="dimmed">
              {text}
            </Text>
          )}
        </div>
        <CopyButton value={value}>
          {({ copied, copy }) => (
            <Button
              size="compact-sm"
              variant="default"
              style={{ flex: 'none' }}
              onClick={copy}
              aria-label={`${common.copy}: ${label}`}
            >
              <span aria-live="polite">{copied ? common.copied : common.copy}</span>
            </Button>
          )}
        </CopyButton>
      </Group>
      <section className="copy-value" dir="ltr" aria-label={label}>
        <code>{value}</code>
      </section>
    </div>
  )
}
