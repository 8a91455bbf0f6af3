import { Button, Paper, Text, Title } from '@mantine/core'
import { type ReactNode, useRef, useState } from 'react'

interface OnDemandProps {
  readonly id: string
  readonly texts: { readonly title: string; readonly text: string; readonly show: string }
  readonly children: ReactNode
}

/** A section that reads its content only when asked: most who open a poll want its split. */
export function OnDemand({ id, texts, children }: OnDemandProps) {
  const [isOpen, setIsOpen] = useState(false)
  const heading = useRef<HTMLHeadingElement>(null)
  // The button disappears, which must not leave a keyboard at the start of the page.
  const open = () => {
    setIsOpen(true)
    heading.current?.focus()
  }
  return (
    <Paper withBorder p="md" component="section" aria-labelledby={id}>
      <Title order={2} size="h5" id={id} ref={heading} tabIndex={-1}>
        {texts.title}
      </Title>
      <Text size="xs" c="dimmed" mb="sm">
        {texts.text}
      </Text>
      {isOpen ? (
        children
      ) : (
        <Button variant="default" size="xs" onClick={open}>
          {texts.show}
        </Button>
      )}
    </Paper>
  )
}
