import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { lazyPart } from '../../parts/lazy-part.ts'
import { ForbiddenPage, Page } from '../../parts/page.tsx'
import { Failed, Loading } from '../../parts/states.tsx'
import { useBrand } from '../../session/brand.ts'
import { formWords } from '../../words/form-words.ts'
import { templateWords } from '../../words/template-words.ts'
import { copyOf, NEW_DRAFT } from './poll-draft.ts'
import { PollForm } from './poll-form.tsx'
import { templateDraft } from './start/templates.ts'

const StartDialog = lazyPart(async () => (await import('./start/start-dialog.tsx')).StartDialog)

/** Empty, from the template that the address names, or as a copy of the poll that it names. */
export function NewPollPage() {
  const { slug, tossup, mayEdit } = useBrand()
  const { copy, template } = useSearch({ strict: false }) as { copy?: unknown; template?: unknown }
  const [isStarting, setIsStarting] = useState(false)
  // It stays, so that closing it gives the focus back.
  const [isWanted, setIsWanted] = useState(false)
  const copied = useQuery({
    queryKey: ['brand', slug, 'poll', copy, 'copy'],
    queryFn: ({ signal }) => tossup.getOwnPoll(String(copy), { signal }),
    enabled: mayEdit && copy !== undefined,
    refetchOnWindowFocus: false,
  })
  if (!mayEdit) return <ForbiddenPage title={formWords().poll.newTitle} />
  const isReady = copy === undefined || copied.data !== undefined
  const first = copied.data ? copyOf(copied.data) : (templateDraft(template) ?? NEW_DRAFT)
  const start = (
    <Button
      variant="default"
      onClick={() => {
        setIsWanted(true)
        setIsStarting(true)
      }}
    >
      {templateWords().start.open}
    </Button>
  )
  return (
    <Page title={formWords().poll.newTitle} actions={start}>
      {copy !== undefined && copied.isPending && <Loading />}
      {copied.error && <Failed error={copied.error} onRetry={() => void copied.refetch()} />}
      {isReady && <PollForm key={`${copy} ${template}`} poll={null} first={first} />}
      <Suspense>{isWanted && <StartDialog isOpen={isStarting} onClose={() => setIsStarting(false)} />}</Suspense>
    </Page>
  )
}
