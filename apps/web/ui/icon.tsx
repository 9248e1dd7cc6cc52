import {
  IconAdjustmentsHorizontal,
  IconAlertTriangle,
  IconArrowsExchange,
  IconBan,
  IconBook,
  IconBox,
  IconBuilding,
  IconChartBar,
  IconChartLine,
  IconCheck,
  IconChevronDown,
  IconChevronLeft,
  IconChevronRight,
  IconChevronUp,
  IconClock,
  IconCode,
  IconCopy,
  IconCreditCard,
  IconDeviceDesktop,
  IconDeviceMobile,
  IconDots,
  IconDownload,
  IconFileText,
  IconFilter,
  IconInfoCircle,
  IconKey,
  IconLayoutDashboard,
  IconListSearch,
  IconLock,
  IconLogout,
  IconMail,
  IconMinus,
  IconMoon,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlus,
  IconRefresh,
  IconSearch,
  IconServer,
  IconShieldCheck,
  IconSun,
  IconTrash,
  IconUpload,
  IconUser,
  IconUsers,
  IconWebhook,
  IconWorld,
  IconX,
} from "@tabler/icons-react";

const icons = {
  analytics: IconChartLine,
  audit: IconFileText,
  billing: IconCreditCard,
  block: IconBan,
  check: IconCheck,
  clock: IconClock,
  close: IconX,
  copy: IconCopy,
  customer: IconUser,
  docs: IconBook,
  down: IconChevronDown,
  download: IconDownload,
  edit: IconPencil,
  filter: IconFilter,
  info: IconInfoCircle,
  ip: IconWorld,
  key: IconKey,
  leave: IconLogout,
  left: IconChevronLeft,
  license: IconKey,
  lock: IconLock,
  mail: IconMail,
  members: IconUsers,
  minus: IconMinus,
  moon: IconMoon,
  more: IconDots,
  organization: IconBuilding,
  overview: IconLayoutDashboard,
  pause: IconPlayerPause,
  phone: IconDeviceMobile,
  platform: IconServer,
  play: IconPlayerPlay,
  plus: IconPlus,
  product: IconBox,
  refresh: IconRefresh,
  request: IconListSearch,
  right: IconChevronRight,
  role: IconShieldCheck,
  screen: IconDeviceDesktop,
  search: IconSearch,
  settings: IconAdjustmentsHorizontal,
  sun: IconSun,
  token: IconCode,
  transfer: IconArrowsExchange,
  trash: IconTrash,
  up: IconChevronUp,
  upload: IconUpload,
  usage: IconChartBar,
  warning: IconAlertTriangle,
  webhook: IconWebhook,
} as const;

export type IconName = keyof typeof icons;

/** Always next to text or inside a labelled control, so it is hidden from screen readers. */
export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  const Shape = icons[name];
  return <Shape size={size} stroke={1.75} aria-hidden="true" focusable="false" />;
}

/** The letter C with a signature stroke. */
export function Logo({ size = 28 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="8" fill="#116550" />
      <path
        d="M22.6 10.4a8.5 8.5 0 1 0 .6 10.2"
        fill="none"
        stroke="#fff"
        strokeWidth="3"
        strokeLinecap="round"
      />
      <path
        d="m12.6 16.2 3.4 3.4 9.4-9.2"
        fill="none"
        stroke="#a6d5c7"
        strokeWidth="3"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
