import { Button, Group, NativeSelect, Radio, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { Section } from '../../parts/section.tsx'
import { Failed } from '../../parts/states.tsx'
import { codesWords } from '../../words/codes-words.ts'
import { words } from '../../words/words.ts'
import { CodeListName } from './code-list-name.tsx'
import { NO_LIST } from './list-problem.ts'
import { useCodeLists } from './use-code-lists.ts'

interface WhoProps {
  readonly codeListId: string | null
  readonly error: string | undefined
  /** Why it cannot be changed. */
  readonly refusal: string | null
  readonly note?: string
  readonly onChange: (codeListId: string | null) => void
}

/** Everybody, or those who have a code of a list. */
export function WhoCanVote({ codeListId, error, refusal, note, onChange }: WhoProps) {
  const { polls } = words()
  const its = codesWords()
  const lists = useCodeLists()
  const [isNew, setIsNew] = useState(false)
  const all = lists.data ?? []
  const isFixed = refusal !== null
  return (
    <Section title={polls.who}>
      <Radio.Group
        aria-label={polls.who}
        value={codeListId === null ? 'open' : 'code'}
        onChange={(value) => onChange(value === 'open' ? null : (all[0]?.codeListId ?? NO_LIST))}
      >
        <Stack gap="xs">
          <Radio value="open" label={its.open} description={its.openText} disabled={isFixed} />
          <Radio value="code" label={polls.who_code} description={its.byCodeText} disabled={isFixed} />
        </Stack>
      </Radio.Group>
      {lists.error && <Failed error={lists.error} onRetry={() => void lists.refetch()} />}
      {codeListId !== null && (
        <Group align="flex-end" gap="xs">
          {lists.data?.length === 0 ? (
            <Text size="sm" c={error ? 'red' : 'dimmed'} role={error ? 'alert' : undefined}>
              {its.noLists}
            </Text>
          ) : (
            <NativeSelect
              className="grow"
              label={its.list}
              value={codeListId}
              error={error}
              disabled={isFixed}
              data={[
                ...(codeListId === NO_LIST ? [{ value: NO_LIST, label: its.needsList }] : []),
                ...all.map(({ codeListId: value, name }) => ({ value, label: name })),
              ]}
              onChange={(event) => onChange(event.currentTarget.value)}
            />
          )}
          {!isFixed && (
            <Button variant="default" onClick={() => setIsNew(true)}>
              {its.new}
            </Button>
          )}
        </Group>
      )}
      {refusal !== null && <p className="note">{refusal}</p>}
      {note !== undefined && refusal === null && <p className="note">{note}</p>}
      {isNew && (
        <CodeListName list={null} onClose={() => setIsNew(false)} onSaved={(list) => onChange(list.codeListId)} />
      )}
    </Section>
  )
}
