import { Alert, Button, Paper, Stack, Text, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useBrand } from '../../session/brand.ts'
import { resultWords } from '../../words/result-words.ts'
import { filled, moment } from '../../words/words.ts'
import { CopyField } from '../copy-field.tsx'
import { messageOf } from '../messages/messages.ts'
import { toast } from '../messages/toasts.tsx'

/** A link that shows a draft for an hour, such as to somebody who has to agree to it. */
export function DraftPreview({ poll }: { readonly poll: string }) {
  const { tossup } = useBrand()
  const { preview } = resultWords()
  const making = useMutation({
    mutationFn: () => tossup.getPollPreview(poll),
    async onSuccess({ url }) {
      // Browsers that ask for a press at this very moment refuse it: the field has a button of its own.
      const isCopied = await navigator.clipboard?.writeText(url).then(
        () => true,
        () => false,
      )
      if (isCopied) toast(preview.copied)
    },
  })
  const { data: made } = making
  return (
    <Paper withBorder p="md" component="section" aria-label={preview.title}>
      <Stack gap="sm" align="flex-start">
        <div>
          <Title order={2} size="h5">
            {preview.title}
          </Title>
          <Text size="sm" c="dimmed">
            {preview.text}
          </Text>
        </div>
        {made && (
          <div style={{ width: '100%' }}>
            <CopyField
              label={preview.link}
              text={filled(preview.until, { time: moment(made.expiresAt) })}
              value={made.url}
            />
          </div>
        )}
        {making.error && (
          <Alert color="red" role="alert">
            {messageOf(making.error)}
          </Alert>
        )}
        <Button variant="default" loading={making.isPending} onClick={() => making.mutate()}>
          {preview.make}
        </Button>
      </Stack>
    </Paper>
  )
}
