import { win32 } from 'node:path';
import { xml } from './launchd.ts';
import { MARK, SERVICE, type ServiceManager } from './manager.ts';
import { runArguments, type ServicePlan } from './plan.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const TASK = 'Lectern';

/** A scheduled task of Windows, started at login with the rights of that user. */
export function windowsTask(environment: Environment, home: string): ServiceManager {
  const data = environment.LOCALAPPDATA ?? win32.join(home, 'AppData', 'Local');
  const path = win32.join(data, SERVICE, 'service.xml');
  return {
    name: 'the Task Scheduler',
    files: (plan) => [{ path, text: task(plan), encoding: 'utf16le' }],
    paths: () => [path],
    start: [
      ['schtasks', '/Create', '/F', '/TN', TASK, '/XML', path],
      ['schtasks', '/Run', '/TN', TASK],
    ],
    stop: [
      ['schtasks', '/End', '/TN', TASK],
      ['schtasks', '/Delete', '/F', '/TN', TASK],
    ],
    forget: [],
    status: ['schtasks', '/Query', '/V', '/FO', 'LIST', '/TN', TASK],
    logs: undefined,
  };
}

function task(plan: ServicePlan): string {
  const { command, home } = plan;
  return `\ufeff<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo>
    <Description>Lectern, a server for your notes. ${MARK}</Description>
  </RegistrationInfo>
  <Triggers>
    <LogonTrigger>
      <Enabled>true</Enabled>
    </LogonTrigger>
  </Triggers>
  <Principals>
    <Principal id="Author">
      <LogonType>InteractiveToken</LogonType>
      <RunLevel>LeastPrivilege</RunLevel>
    </Principal>
  </Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <Hidden>true</Hidden>
    <RestartOnFailure>
      <Interval>PT1M</Interval>
      <Count>5</Count>
    </RestartOnFailure>
  </Settings>
  <Actions Context="Author">
    <Exec>
      <Command>${xml(command[0])}</Command>
      <Arguments>${xml(runArguments(plan).map(argument).join(' '))}</Arguments>
      <WorkingDirectory>${xml(home)}</WorkingDirectory>
    </Exec>
  </Actions>
</Task>
`;
}

/**
 * Quotes an argument by the rules of CommandLineToArgvW, in which backslashes are special only before a quote.
 */
function argument(text: string): string {
  if (/^[\w.:\\/=-]+$/.test(text)) return text;
  return `"${text.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1')}"`;
}
