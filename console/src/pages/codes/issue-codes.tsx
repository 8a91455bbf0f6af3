import { Alert, Anchor, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import type { CodeList } from '../../../../sdk/src/index.ts'
import { messageOf } from '../../parts/messages/messages.ts'
import { Section } from '../../parts/section.tsx'
import { UnsavedGuard } from '../../parts/unsaved-guard.tsx'
import { isSignedOut } from '../../service.ts'
import { useBrand } from '../../session/brand.ts'
import { codesWords } from '../../words/codes-words.ts'
import { filled, words } from '../../words/words.ts'
import { FreshCodes } from './fresh-codes.tsx'
import { OnlyHere } from './only-here.tsx'
import { useCodePlaces } from './use-code-lists.ts'
import { useIssuing } from './use-issuing.ts'

const MOST_OF_A_LIST = 200_000

/** Issues codes, and shows those of this visit: the only moment at which codes are seen. */
export function IssueCodes({ list }: { readonly list: CodeList }) {
  const its = codesWords()
  const issuing = useIssuing(list.codeListId)
  // How many were in the file: more may be issued after it.
  const [saved, setSaved] = useState(0)
  const { codes, wanted, isRunning } = issuing
  const isSaved = saved === codes.length
  const hasCodes = codes.length > 0
  const isWaiting = isRunning || (hasCodes && !isSaved)
  const isPaused = !isRunning && wanted > codes.length
  return (
    <Section title={its.issue}>
      <UnsavedGuard
        isChanged={() => isWaiting}
        title={its.leaveTitle}
        text={isRunning ? its.leaveIssuing : its.leaveText}
      />
      {wanted === 0 && <HowMany list={list} onStart={issuing.start} />}
      {isRunning && <Running issuing={issuing} />}
      {isPaused && <Paused issuing={issuing} />}
      {hasCodes && !isRunning && (
        <FreshCodes
          list={list}
          codes={codes}
          isSaved={isSaved}
          onSaved={() => setSaved(codes.length)}
          onFinish={() => {
            issuing.clear()
            setSaved(0)
          }}
        />
      )}
    </Section>
  )
}

interface HowManyProps {
  readonly list: CodeList
  readonly onStart: (count: number) => void
}

function HowMany({ list, onStart }: HowManyProps) {
  const { issued, polls } = list
  const { slug } = useBrand()
  const places = useCodePlaces(list)
  const its = codesWords()
  const [text, setText] = useState('')
  const [isWrong, setIsWrong] = useState(false)
  const left = MOST_OF_A_LIST - issued
  if (left <= 0) return <p className="note">{its.full}</p>
  function start(event: FormEvent): void {
    event.preventDefault()
    const wanted = Number(text)
    const isRight = Number.isInteger(wanted) && wanted >= 1 && wanted <= left
    setIsWrong(!isRight)
    if (isRight) onStart(wanted)
  }
  return (
    <form noValidate onSubmit={start}>
      <Stack gap="sm">
        <p className="note">{its.issueText}</p>
        {polls === 0 && (
          <Alert color="yellow">
            {its.noPollYet}{' '}
            <Anchor
              size="sm"
              renderRoot={(props) => <Link {...props} to="/$brand/polls/new" params={{ brand: slug }} />}
            >
              {words().polls.new}
            </Anchor>
          </Alert>
        )}
        <OnlyHere place={places.data?.[0]} />
        <Group align="flex-start" gap="sm">
          <TextInput
            className="how-many"
            label={its.howMany}
            description={filled(its.howManyText, { count: left })}
            inputMode="numeric"
            autoComplete="off"
            dir="ltr"
            value={text}
            error={isWrong && filled(its.howManyWrong, { count: left })}
            onChange={(event) => setText(event.currentTarget.value)}
          />
        </Group>
        <div>
          <Button type="submit">{its.issue}</Button>
        </div>
      </Stack>
    </form>
  )
}

type IssuingProps = { readonly issuing: ReturnType<typeof useIssuing> }

function Running({ issuing: { codes, wanted, stop } }: IssuingProps) {
  const its = codesWords()
  const text = filled(its.issuing, { done: codes.length, count: wanted })
  return (
    <Group gap="sm" wrap="nowrap">
      <progress className="grow" aria-label={its.issue} max={wanted} value={codes.length} />
      <Text size="sm" role="status">
        {text}
      </Text>
      <Button variant="default" size="compact-sm" onClick={stop}>
        {its.stop}
      </Button>
    </Group>
  )
}

function Paused({ issuing: { codes, wanted, error, resume, clear } }: IssuingProps) {
  const its = codesWords()
  const left = wanted - codes.length
  return (
    <Alert
      color={error ? 'red' : 'yellow'}
      role="alert"
      title={filled(its.paused, { done: codes.length, count: wanted })}
    >
      <Stack gap="xs" align="flex-start">
        {error !== null && !isSignedOut(error) && <Text size="sm">{messageOf(error)}</Text>}
        <Group gap="xs">
          <Button size="xs" onClick={resume}>
            {filled(its.resume, { count: left })}
          </Button>
          {codes.length === 0 && (
            <Button size="xs" variant="default" onClick={clear}>
              {words().common.cancel}
            </Button>
          )}
        </Group>
      </Stack>
    </Alert>
  )
}
