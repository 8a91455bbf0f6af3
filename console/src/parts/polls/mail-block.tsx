import { Button, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useBrand } from '../../session/brand.ts'
import { resultWords } from '../../words/result-words.ts'
import { language } from '../../words/words.ts'
import { CopyField } from '../copy-field.tsx'
import { Failed, Loading } from '../states.tsx'

interface BlockProps {
  readonly poll: string
  readonly source: string | null
}

/** The poll for a newsletter: asked for when somebody opens it, because few do. */
export function MailBlock({ poll, source }: BlockProps) {
  const { sharing: share } = resultWords()
  const { mayEdit } = useBrand()
  const [isOpen, setIsOpen] = useState(false)
  if (!mayEdit) return null
  return (
    <section aria-label={share.mail}>
      <Text size="sm" fw={600}>
        {share.mail}
      </Text>
      <Text size="xs" c="dimmed" mb="xs">
        {share.mailText}
      </Text>
      {!isOpen && (
        <Button variant="default" size="compact-sm" onClick={() => setIsOpen(true)}>
          {share.mailShow}
        </Button>
      )}
      {isOpen && <Fields poll={poll} source={source} />}
    </section>
  )
}

function Fields({ poll, source }: BlockProps) {
  const { sharing: share } = resultWords()
  const { slug, tossup } = useBrand()
  const { lang } = language
  const mail = useQuery({
    queryKey: [slug, 'mail', poll, source, lang],
    queryFn: ({ signal }) => tossup.getPollEmail(poll, { lang, ...(source !== null && { source }) }, { signal }),
  })
  if (mail.isPending) return <Loading rows={2} />
  if (mail.error) return <Failed error={mail.error} onRetry={() => void mail.refetch()} />
  return (
    <Stack gap="sm">
      <CopyField label="HTML" text={share.mailHtml} value={mail.data.html} />
      <CopyField label={share.mailPlain} value={mail.data.text} />
    </Stack>
  )
}
