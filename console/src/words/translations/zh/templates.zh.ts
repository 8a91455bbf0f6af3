import type { en } from '../../english/en-templates.ts'
import type { Translation } from '../../translation.ts'

export const translation: Translation<typeof en> = {
  start: {
    open: '使用模板',
    title: '从以下开始',
    text: '它会填好表单。在您保存之前，不会保存任何内容。',
    templates: '模板',
    past: '以前的投票',
    find: '搜索您的投票',
    none: '没有匹配的投票。',
  },
  templates: {
    next: {
      name: '接下来做什么',
      use: '产品、口味、话题：让大家选择您要做的。',
      title: '下一个口味做哪种？',
      a: '全新口味',
      b: '经典口味',
    },
    design: {
      name: '两个设计',
      use: '添加两张图片。每台设备看到的顺序各不相同。',
      title: '您更喜欢哪个封面？',
      a: '第一个',
      b: '第二个',
    },
    feedback: {
      name: '读完之后',
      use: '用于文章和帮助页面。只有您的团队能看到结果。',
      title: '这解答了您的问题吗？',
      a: '是',
      b: '否',
    },
    date: {
      name: '选个日期',
      use: '用于活动和会议。请设置投票的结束时间。',
      title: '哪个时间更适合您？',
      a: '周五晚上',
      b: '周六下午',
    },
    guess: {
      name: '猜猜谁赢',
      use: '用于比赛和颁奖。在开始前结束；投票者可看到结果。',
      title: '今晚谁会赢？',
      a: '主队',
      b: '客队',
    },
    room: {
      name: '活跃现场',
      use: '适合舞台或线上会议的轻松问题，所有人都能看到结果。',
      title: '您什么时候工作状态最好？',
      a: '早上',
      b: '晚上',
    },
  },
}
