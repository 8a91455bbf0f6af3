import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Outlet } from '@tanstack/react-router'
import { NotFound, NotFoundInBrand } from './pages/not-found.tsx'
import { StartPage } from './pages/start.tsx'
import { Shell } from './shell/shell.tsx'

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound })

const start = createRoute({ getParentRoute: () => root, path: '/', component: StartPage })
const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  component: lazyRouteComponent(() => import('./pages/login.tsx'), 'LoginPage'),
})
const me = createRoute({
  getParentRoute: () => root,
  path: '/me',
  component: lazyRouteComponent(() => import('./pages/profile.tsx'), 'ProfilePage'),
})
// No brand can have this slug. `/service` may be one of an earlier version: `Shell` decides.
const service = createRoute({
  getParentRoute: () => root,
  path: '/_service',
  component: lazyRouteComponent(() => import('./pages/service.tsx'), 'ServicePage'),
})

const agent = createRoute({
  getParentRoute: () => root,
  path: '/_agent',
  component: lazyRouteComponent(() => import('./pages/keys/agent-consent.tsx'), 'AgentConsentPage'),
})

const brand = createRoute({
  getParentRoute: () => root,
  path: '/$brand',
  component: Shell,
  notFoundComponent: NotFoundInBrand,
})
const overview = createRoute({
  getParentRoute: () => brand,
  path: '/',
  component: lazyRouteComponent(() => import('./pages/overview.tsx'), 'OverviewPage'),
})
const polls = createRoute({
  getParentRoute: () => brand,
  path: '/polls',
  component: lazyRouteComponent(() => import('./pages/polls.tsx'), 'PollsPage'),
})
const newPoll = createRoute({
  getParentRoute: () => brand,
  path: '/polls/new',
  component: lazyRouteComponent(() => import('./pages/poll-edit/new-poll.tsx'), 'NewPollPage'),
})
const poll = createRoute({
  getParentRoute: () => brand,
  path: '/polls/$poll',
  component: lazyRouteComponent(() => import('./pages/poll/poll.tsx'), 'PollPage'),
})
const editPoll = createRoute({
  getParentRoute: () => brand,
  path: '/polls/$poll/edit',
  component: lazyRouteComponent(() => import('./pages/poll-edit/edit-poll.tsx'), 'EditPollPage'),
})
const compare = createRoute({
  getParentRoute: () => brand,
  path: '/compare',
  component: lazyRouteComponent(() => import('./pages/compare.tsx'), 'ComparePage'),
})
const campaigns = createRoute({
  getParentRoute: () => brand,
  path: '/campaigns',
  component: lazyRouteComponent(() => import('./pages/campaigns.tsx'), 'CampaignsPage'),
})
const newCampaign = createRoute({
  getParentRoute: () => brand,
  path: '/campaigns/new',
  component: lazyRouteComponent(() => import('./pages/campaign-edit/new-campaign.tsx'), 'NewCampaignPage'),
})
const campaign = createRoute({
  getParentRoute: () => brand,
  path: '/campaigns/$campaign',
  component: lazyRouteComponent(() => import('./pages/campaign/campaign.tsx'), 'CampaignPage'),
})
const editCampaign = createRoute({
  getParentRoute: () => brand,
  path: '/campaigns/$campaign/edit',
  component: lazyRouteComponent(() => import('./pages/campaign-edit/edit-campaign.tsx'), 'EditCampaignPage'),
})
const codes = createRoute({
  getParentRoute: () => brand,
  path: '/codes',
  component: lazyRouteComponent(() => import('./pages/codes.tsx'), 'CodesPage'),
})
const codeList = createRoute({
  getParentRoute: () => brand,
  path: '/codes/$list',
  component: lazyRouteComponent(() => import('./pages/codes/code-list.tsx'), 'CodeListPage'),
})
const webhooks = createRoute({
  getParentRoute: () => brand,
  path: '/webhooks',
  component: lazyRouteComponent(() => import('./pages/webhooks.tsx'), 'WebhooksPage'),
})
const newWebhook = createRoute({
  getParentRoute: () => brand,
  path: '/webhooks/new',
  component: lazyRouteComponent(() => import('./pages/webhook-edit/new-webhook.tsx'), 'NewWebhookPage'),
})
const webhook = createRoute({
  getParentRoute: () => brand,
  path: '/webhooks/$webhook',
  component: lazyRouteComponent(() => import('./pages/webhook/webhook.tsx'), 'WebhookPage'),
})
const editWebhook = createRoute({
  getParentRoute: () => brand,
  path: '/webhooks/$webhook/edit',
  component: lazyRouteComponent(() => import('./pages/webhook-edit/edit-webhook.tsx'), 'EditWebhookPage'),
})
const brandProfile = createRoute({
  getParentRoute: () => brand,
  path: '/profile',
  component: lazyRouteComponent(() => import('./pages/brand-profile/brand-profile.tsx'), 'BrandProfilePage'),
})
const look = createRoute({
  getParentRoute: () => brand,
  path: '/theme',
  component: lazyRouteComponent(() => import('./pages/theme.tsx'), 'ThemePage'),
})
const keys = createRoute({
  getParentRoute: () => brand,
  path: '/keys',
  component: lazyRouteComponent(() => import('./pages/keys.tsx'), 'KeysPage'),
})
const people = createRoute({
  getParentRoute: () => brand,
  path: '/people',
  component: lazyRouteComponent(() => import('./pages/people.tsx'), 'PeoplePage'),
})
const activity = createRoute({
  getParentRoute: () => brand,
  path: '/activity',
  component: lazyRouteComponent(() => import('./pages/activity.tsx'), 'ActivityPage'),
})

const ofPolls = [polls, newPoll, poll, editPoll, compare] as const
const ofCampaigns = [campaigns, newCampaign, campaign, editCampaign] as const
const ofWebhooks = [webhooks, newWebhook, webhook, editWebhook] as const
const ofCodes = [codes, codeList] as const
const pages = [
  overview,
  ...ofPolls,
  ...ofCampaigns,
  ...ofCodes,
  ...ofWebhooks,
  brandProfile,
  look,
  keys,
  people,
  activity,
] as const

export const router = createRouter({
  routeTree: root.addChildren([start, login, me, service, agent, brand.addChildren([...pages])]),
  basepath: '/console',
  defaultPreload: 'intent',
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
