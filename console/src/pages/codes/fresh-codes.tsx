import { Alert, Button, CopyButton, Group, NativeSelect, Stack, Text } from '@mantine/core'
import { Suspense, useState } from 'react'
import type { CodeList } from '../../../../sdk/src/index.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { lazyPart } from '../../parts/lazy-part.ts'
import { saveFile } from '../../parts/lists/download.ts'
import { Failed, Loading } from '../../parts/states.tsx'
import { codesWords } from '../../words/codes-words.ts'
import { filled, words } from '../../words/words.ts'
import { codesCsv, linkOf } from './issued-codes.ts'
import { OnlyHere } from './only-here.tsx'
import { type CodePlace, useCodePlaces } from './use-code-lists.ts'

const Sheets = lazyPart(async () => (await import('./sheets/sheets.tsx')).Sheets)

/** More are read in the file. */
const MOST_SHOWN = 100

interface FreshProps {
  readonly list: CodeList
  readonly codes: readonly string[]
  readonly isSaved: boolean
  readonly onSaved: () => void
  readonly onFinish: () => void
}

/** Codes that were just issued: they can be downloaded, printed and copied, this once. */
export function FreshCodes(props: FreshProps) {
  const { list, codes, isSaved, onSaved, onFinish } = props
  const its = codesWords()
  const places = useCodePlaces(list)
  const [chosen, setChosen] = useState<string | null>(null)
  const [isAsked, setIsAsked] = useState(false)
  const all = places.data ?? []
  // The first poll, until another one or none is chosen.
  const place = chosen === '' ? null : (all.find(({ id }) => id === chosen) ?? all[0] ?? null)
  const isReading = list.polls > 0 && places.isPending
  function download(): void {
    const csv = codesCsv(codes, place?.shareUrl ?? null)
    saveFile(new Blob([csv], { type: 'text/csv;charset=utf-8' }), `${fileNameOf(list.name)}.csv`)
    onSaved()
  }
  return (
    <Stack gap="md">
      <Alert
        color={isSaved ? 'teal' : 'red.9'}
        variant={isSaved ? 'light' : 'filled'}
        role="alert"
        title={codes.length === 1 ? its.freshOne : filled(its.freshTitle, { count: codes.length })}
      >
        {isSaved ? its.saved : its.freshText}
      </Alert>
      {places.error && <Failed error={places.error} onRetry={() => void places.refetch()} />}
      {isReading ? (
        <Loading rows={1} />
      ) : (
        <NativeSelect
          label={its.leadTo}
          value={place?.id ?? ''}
          data={[...all.map(({ id, title }) => ({ value: id, label: title })), { value: '', label: its.codesOnly }]}
          onChange={(event) => setChosen(event.currentTarget.value)}
        />
      )}
      <OnlyHere place={place} />
      <div>
        <Group gap="sm">
          <Button onClick={download} loading={isReading} data-autofocus>
            {its.download}
          </Button>
          <Button variant="default" onClick={() => (isSaved ? onFinish() : setIsAsked(true))}>
            {its.finish}
          </Button>
        </Group>
        <Text size="xs" c="dimmed" mt={6}>
          {its.downloadText}
        </Text>
      </div>
      {codes.length <= MOST_SHOWN && <Shown codes={codes} place={place} />}
      {place && (
        <Suspense fallback={<Loading rows={3} />}>
          <Sheets codes={codes} place={place} />
        </Suspense>
      )}
      <Confirm
        isOpen={isAsked}
        title={its.finishTitle}
        text={its.finishText}
        action={its.finishYes}
        isPending={false}
        onConfirm={onFinish}
        onClose={() => setIsAsked(false)}
      />
    </Stack>
  )
}

/** Letters of every script are fine in a file name; what a file system refuses is not. */
const fileNameOf = (name: string): string => name.replace(/[\\/:*?"<>|\p{Cc}]+/gu, '-').slice(0, 60)

/** For those who hand out a few codes one by one. */
function Shown({ codes, place }: { readonly codes: readonly string[]; readonly place: CodePlace | null }) {
  const its = codesWords()
  const { common } = words()
  return (
    <details className="shown-codes">
      <summary>{its.show}</summary>
      <ul>
        {codes.map((code) => (
          <li key={code}>
            <code dir="ltr">{code}</code>
            <CopyButton value={place ? linkOf(place.shareUrl, code) : code}>
              {({ copied, copy }) => (
                <Button
                  size="compact-xs"
                  variant="default"
                  aria-label={filled(place ? its.copyLink : its.copyCode, { code })}
                  onClick={copy}
                >
                  <span aria-live="polite">{copied ? common.copied : common.copy}</span>
                </Button>
              )}
            </CopyButton>
          </li>
        ))}
      </ul>
    </details>
  )
}
