import { Anchor, Button, Paper, Text, Title } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Agent } from '../../../../sdk/src/index.ts'
import { CONFIG } from '../../config.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { RowList } from '../../parts/lists/row-list.tsx'
import { toast, toastFailure } from '../../parts/messages/toasts.tsx'
import { useBrand } from '../../session/brand.ts'
import { accountWords } from '../../words/account-words.ts'
import { filled, fromNow, isolated, words } from '../../words/words.ts'

const agentsOf = (slug: string) => ['brand', slug, 'agents']

/** The programs that act for members: for an owner those of everybody. */
export function Agents() {
  const { slug, tossup } = useBrand()
  const { agents } = accountWords()
  const all = useQuery({
    queryKey: agentsOf(slug),
    queryFn: async ({ signal }) => {
      const found: Agent[] = []
      for await (const agent of tossup.listAgents({ limit: 100 }, { signal })) found.push(agent)
      return found
    },
  })
  return (
    <section aria-labelledby="agents">
      <Title order={2} size="h4" id="agents" mt="xl">
        {agents.title}
      </Title>
      <Text c="dimmed" mb="sm">
        {agents.text}{' '}
        <Anchor href="/docs/agents" target="_blank" underline="always">
          {agents.guide}
        </Anchor>
      </Text>
      <RowList
        query={all}
        items={all.data}
        empty={
          <Paper withBorder p="md">
            <Text fw={600}>{agents.empty}</Text>
            <Text size="sm">{filled(agents.emptyText, { url: `${CONFIG.origin}/mcp` })}</Text>
          </Paper>
        }
      >
        {(agent) => <Row key={agent.agentId} agent={agent} />}
      </RowList>
    </section>
  )
}

function Row({ agent }: { readonly agent: Agent }) {
  const [isAsked, setIsAsked] = useState(false)
  const { slug, tossup } = useBrand()
  const client = useQueryClient()
  const { common } = words()
  const { agents } = accountWords()
  const end = useMutation({
    mutationFn: () => tossup.endAgent(agent.agentId),
    onSuccess() {
      toast(agents.ended)
      setIsAsked(false)
      void client.invalidateQueries({ queryKey: agentsOf(slug) })
    },
    onError: toastFailure,
  })
  const who = agent.member.name ?? agent.member.email
  const used = agent.lastUsedAt ? `${common.lastUsed}: ${fromNow(agent.lastUsedAt)}` : agents.notUsed
  return (
    <li className="row">
      <div>
        <Text fw={600}>
          <bdi>{agent.name}</bdi>
        </Text>
        <Text size="xs" c="dimmed">
          <bdi>{agent.host}</bdi> · {filled(agents.forWho, { who })} · {used}
        </Text>
        <Text size="xs" mt={6}>
          {agent.permissions.map((permission) => agents[permission]).join(' · ')}
        </Text>
      </div>
      <Button
        size="xs"
        variant="subtle"
        color="red"
        onClick={() => setIsAsked(true)}
        aria-label={`${agents.end}: ${agent.name}`}
      >
        {agents.end}
      </Button>
      <Confirm
        isOpen={isAsked}
        title={`${agents.end}: ${isolated(agent.name)}`}
        text={agents.endText}
        action={agents.end}
        isPending={end.isPending}
        onConfirm={() => end.mutate()}
        onClose={() => setIsAsked(false)}
      />
    </li>
  )
}
