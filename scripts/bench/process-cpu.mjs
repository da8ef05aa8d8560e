import { readFileSync } from 'node:fs';

/** Linux tells CPU time in hundredths of a second, whatever the kernel's own clock. */
const ticksPerSecond = 100;

/** Whether the CPU time of another process can be read here. */
export const canReadCpu = cpuSeconds(process.pid) !== undefined;

/**
 * CPU time that a process has used so far, all its threads together, user and system: from `/proc/<pid>/stat`.
 * `undefined` where there is no such file.
 * @param {number} pid
 * @returns {number | undefined}
 */
export function cpuSeconds(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The second field is the program's name, which may hold blanks and brackets.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  } catch {
    return undefined;
  }
}

/** Measures a stretch of time: its length, the server's CPU time in it, and the load generator's own. */
export class Stopwatch {
  /** @param {number} serverPid */
  constructor(serverPid) {
    this.serverPid = serverPid;
    this.startedAtMs = performance.now();
    this.serverCpu = cpuSeconds(serverPid);
    this.ownCpu = process.cpuUsage();
  }

  /** @returns {{ seconds: number, serverCpuSeconds: number, generatorCpuSeconds: number }} NaN where it cannot be read */
  stop() {
    const own = process.cpuUsage(this.ownCpu);
    const server = cpuSeconds(this.serverPid);
    return {
      seconds: (performance.now() - this.startedAtMs) / 1000,
      serverCpuSeconds: (server ?? Number.NaN) - (this.serverCpu ?? Number.NaN),
      generatorCpuSeconds: (own.user + own.system) / 1e6,
    };
  }
}
