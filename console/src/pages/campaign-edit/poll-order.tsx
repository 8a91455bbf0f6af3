import { ActionIcon, Badge, Group, Text } from '@mantine/core'
import { type DragEvent, type KeyboardEvent, useLayoutEffect, useRef, useState } from 'react'
import { Icon } from '../../parts/icons.tsx'
import { campaignWords } from '../../words/campaign-words.ts'
import { filled } from '../../words/words.ts'
import type { Member } from './campaign-draft.ts'

interface OrderProps {
  readonly polls: readonly Member[]
  readonly onChange: (polls: readonly Member[]) => void
  readonly say: (text: string) => void
}

const handleId = (id: string) => `handle-${id}`

/** The polls of a campaign, moved by the arrow keys on their handles, by the buttons, or by dragging. */
export function PollOrder({ polls, onChange, say }: OrderProps) {
  const its = campaignWords()
  const [dragged, setDragged] = useState<string | null>(null)
  const moved = useRef<string | null>(null)

  // A node that is moved in the document loses the focus.
  // biome-ignore lint/correctness/useExhaustiveDependencies: after each new order
  useLayoutEffect(() => {
    if (moved.current) document.getElementById(handleId(moved.current))?.focus()
    moved.current = null
  }, [polls])

  function move(id: string, wanted: number): boolean {
    const from = polls.findIndex((each) => each.id === id)
    const to = Math.max(0, Math.min(polls.length - 1, wanted))
    const poll = polls[from]
    if (!poll || from === to) return false
    const next = polls.toSpliced(from, 1).toSpliced(to, 0, poll)
    onChange(next)
    say(filled(its.moved, { title: poll.title, place: to + 1, count: polls.length }))
    return true
  }
  function onKeyDown(event: KeyboardEvent, poll: Member, index: number): void {
    const wanted = { ArrowUp: index - 1, ArrowDown: index + 1, Home: 0, End: polls.length - 1 }[event.key]
    if (wanted === undefined) return
    event.preventDefault()
    if (move(poll.id, wanted)) moved.current = poll.id
  }
  function onDragOver(event: DragEvent, index: number): void {
    if (dragged === null) return
    event.preventDefault()
    move(dragged, index)
  }
  function remove({ id, title }: Member): void {
    onChange(polls.filter((each) => each.id !== id))
    say(filled(its.removed, { title }))
  }
  return (
    <ol className="plain" aria-label={its.order}>
      {polls.map((poll, index) => (
        <li
          key={poll.id}
          className="row"
          draggable
          style={{ flexWrap: 'nowrap', opacity: dragged === poll.id ? 0.5 : 1 }}
          onDragStart={(event) => {
            event.dataTransfer.effectAllowed = 'move'
            setDragged(poll.id)
          }}
          onDragOver={(event) => onDragOver(event, index)}
          onDrop={(event) => event.preventDefault()}
          onDragEnd={() => setDragged(null)}
        >
          <Group gap="xs" wrap="nowrap" className="grow">
            <ActionIcon
              id={handleId(poll.id)}
              variant="subtle"
              color="gray"
              style={{ cursor: 'grab' }}
              aria-label={filled(its.handle, { title: poll.title, place: index + 1, count: polls.length })}
              onKeyDown={(event) => onKeyDown(event, poll, index)}
            >
              <Icon name="grip" />
            </ActionIcon>
            <Text size="sm" c="dimmed" style={{ flex: 'none', minWidth: '1.5em' }} ta="end">
              {index + 1}.
            </Text>
            <div className="grow">
              <Text size="sm" fw={600}>
                <bdi>{poll.title}</bdi>
              </Text>
              {poll.isWithheld && (
                <Badge size="sm" variant="light" color="yellow" tt="none">
                  {its.withheld}
                </Badge>
              )}
            </div>
          </Group>
          <Group gap={2} wrap="nowrap">
            <ActionIcon
              variant="subtle"
              disabled={index === 0}
              style={{ background: 'none' }}
              aria-label={filled(its.up, { title: poll.title })}
              onClick={() => move(poll.id, index - 1)}
            >
              <Icon name="up" />
            </ActionIcon>
            <ActionIcon
              variant="subtle"
              disabled={index === polls.length - 1}
              style={{ background: 'none' }}
              aria-label={filled(its.down, { title: poll.title })}
              onClick={() => move(poll.id, index + 1)}
            >
              <Icon name="down" />
            </ActionIcon>
            <ActionIcon
              variant="subtle"
              color="red"
              aria-label={filled(its.remove, { title: poll.title })}
              onClick={() => remove(poll)}
            >
              <Icon name="trash" />
            </ActionIcon>
          </Group>
        </li>
      ))}
    </ol>
  )
}
