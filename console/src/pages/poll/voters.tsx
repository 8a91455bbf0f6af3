import { Button, Paper, Text, Title } from '@mantine/core'
import { Suspense, useRef, useState } from 'react'
import { lazyPart } from '../../parts/lazy-part.ts'
import { Loading } from '../../parts/states.tsx'
import { resultWords } from '../../words/result-words.ts'
import type { PollInView } from './use-poll.ts'

const VoterList = lazyPart(async () => (await import('./voter-list.tsx')).VoterList)

/** Read when they are asked for: most who open a poll want its split. */
export function Voters({ poll }: { readonly poll: PollInView }) {
  const [isOpen, setIsOpen] = useState(false)
  const heading = useRef<HTMLHeadingElement>(null)
  const { voters } = resultWords()
  // The button disappears, which must not leave a keyboard at the start of the page.
  const open = () => {
    setIsOpen(true)
    heading.current?.focus()
  }
  return (
    <Paper withBorder p="md" component="section" aria-labelledby="voters">
      <Title order={2} size="h5" id="voters" ref={heading} tabIndex={-1}>
        {voters.title}
      </Title>
      <Text size="xs" c="dimmed" mb="sm">
        {voters.text}
      </Text>
      {isOpen ? (
        <Suspense fallback={<Loading rows={3} />}>
          <VoterList poll={poll} />
        </Suspense>
      ) : (
        <Button variant="default" size="xs" onClick={open}>
          {voters.show}
        </Button>
      )}
    </Paper>
  )
}
