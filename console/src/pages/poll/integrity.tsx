import { Button, Paper, Text, Title } from '@mantine/core'
import { useRef, useState } from 'react'
import { resultWords } from '../../words/result-words.ts'
import { IntegrityReport } from './integrity-report.tsx'
import type { PollInView } from './use-poll.ts'

/** Read when it is asked for. */
export function Integrity({ poll }: { readonly poll: PollInView }) {
  const [isOpen, setIsOpen] = useState(false)
  const heading = useRef<HTMLHeadingElement>(null)
  const its = resultWords().integrity
  // The button disappears, which must not leave a keyboard at the start of the page.
  const open = () => {
    setIsOpen(true)
    heading.current?.focus()
  }
  return (
    <Paper withBorder p="md" component="section" aria-labelledby="integrity">
      <Title order={2} size="h5" id="integrity" ref={heading} tabIndex={-1}>
        {its.title}
      </Title>
      <Text size="xs" c="dimmed" mb="sm">
        {its.text}
      </Text>
      {isOpen ? (
        <IntegrityReport poll={poll} />
      ) : (
        <Button variant="default" size="xs" onClick={open}>
          {its.show}
        </Button>
      )}
    </Paper>
  )
}
