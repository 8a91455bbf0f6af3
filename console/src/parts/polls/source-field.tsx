import { Button, Group, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { useBrand } from '../../session/brand.ts'
import { resultWords } from '../../words/result-words.ts'
import { filled } from '../../words/words.ts'
import { messageOf } from '../messages/messages.ts'

const NAME = /^[a-z0-9_-]{1,40}$/

interface FieldProps {
  readonly source: string | null
  readonly onChange: (source: string | null) => void
}

/** The place where a link will stand, typed or chosen. A new name is declared, so that its votes are counted apart. */
export function SourceField({ source, onChange }: FieldProps) {
  const { slug, tossup } = useBrand()
  const client = useQueryClient()
  const its = resultWords().spread
  const list = useId()
  const [text, setText] = useState('')
  const queryKey = ['brand', slug, 'source names']
  const names = useQuery({
    queryKey,
    queryFn: async ({ signal }) => (await tossup.listSourceNames({ signal })).map(({ name }) => name),
  })
  const declare = useMutation({
    async mutationFn(name: string) {
      if (!names.data?.includes(name)) await tossup.createSourceName({ name })
      return name
    },
    onSuccess(name) {
      onChange(name)
      void client.invalidateQueries({ queryKey })
    },
  })
  const name = text.trim().toLowerCase().replace(/\s+/g, '-')
  const isWrong = name !== '' && !NAME.test(name)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (NAME.test(name)) declare.mutate(name)
      }}
    >
      <Group align="flex-end" gap="xs" wrap="nowrap">
        <TextInput
          className="grow"
          label={its.source}
          description={its.sourceText}
          list={list}
          maxLength={40}
          dir="ltr"
          autoComplete="off"
          value={text}
          error={isWrong ? its.sourceWrong : declare.isError && messageOf(declare.error)}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Button type="submit" variant="default" disabled={!NAME.test(name)} loading={declare.isPending}>
          {its.use}
        </Button>
      </Group>
      <datalist id={list}>
        {names.data?.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
      {source !== null && (
        <Group gap="xs" mt="xs">
          <Text size="sm" role="status">
            {filled(its.used, { source })}
          </Text>
          <Button
            variant="subtle"
            size="compact-sm"
            onClick={() => {
              setText('')
              onChange(null)
            }}
          >
            {its.plain}
          </Button>
        </Group>
      )}
    </form>
  )
}
