import { Anchor, Button, Text } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { CodeList } from '../../../sdk/src/index.ts'
import { Icon } from '../parts/icons.tsx'
import { RowList } from '../parts/lists/row-list.tsx'
import { ForbiddenPage, Page } from '../parts/page.tsx'
import { Empty } from '../parts/states.tsx'
import { useBrand } from '../session/brand.ts'
import { codesWords } from '../words/codes-words.ts'
import { filled } from '../words/words.ts'
import { CodeListName } from './codes/code-list-name.tsx'
import { useCodeLists } from './codes/use-code-lists.ts'

export function CodesPage() {
  const { slug, mayEdit } = useBrand()
  const navigate = useNavigate()
  const its = codesWords()
  const lists = useCodeLists()
  const [isNew, setIsNew] = useState(false)
  if (!mayEdit) return <ForbiddenPage title={its.title} />
  const newList = (
    <Button leftSection={<Icon name="plus" />} onClick={() => setIsNew(true)}>
      {its.new}
    </Button>
  )
  return (
    <Page title={its.title} text={its.text} actions={newList}>
      <RowList
        query={lists}
        items={lists.data}
        empty={
          <Empty icon="codes" title={its.empty} text={its.emptyText}>
            {newList}
          </Empty>
        }
      >
        {(list) => <CodeListRow key={list.codeListId} list={list} />}
      </RowList>
      {isNew && (
        <CodeListName
          list={null}
          onClose={() => setIsNew(false)}
          onSaved={({ codeListId }) =>
            void navigate({ to: '/$brand/codes/$list', params: { brand: slug, list: codeListId } })
          }
        />
      )}
    </Page>
  )
}

function CodeListRow({ list: { codeListId, name, polls, ...numbers } }: { readonly list: CodeList }) {
  const { slug } = useBrand()
  const its = codesWords()
  const { issued, used, revoked } = numbers
  return (
    <li className="row">
      <div className="grow">
        <Anchor
          fw={600}
          c="var(--mantine-color-text)"
          style={{ overflowWrap: 'anywhere' }}
          renderRoot={(props) => (
            <Link {...props} to="/$brand/codes/$list" params={{ brand: slug, list: codeListId }} />
          )}
        >
          <bdi>{name}</bdi>
        </Anchor>
        <Text size="xs" c="dimmed">
          {filled(its.numbers, { issued, used, revoked })}
        </Text>
      </div>
      <Text size="sm" c="dimmed">
        {pollsText(polls)}
      </Text>
    </li>
  )
}

function pollsText(polls: number): string {
  const its = codesWords()
  if (polls === 0) return its.pollNone
  return polls === 1 ? its.pollOne : filled(its.polls, { count: polls })
}
