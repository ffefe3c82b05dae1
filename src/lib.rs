//! hustings: a terminal lab in which real processes hold elections and people break them.
//!
//! Each room is a crate, and its manifest says which rooms it uses: the compiler lets no room use one above it. Lowest
//! floor first:
//!
//! | floor | room | holds |
//! |---|---|---|
//! | 1 | [`protocol`] | words of the field, the machine's trait, the machine without its type, the Card |
//! | 2 | [`election`] | one folder an algorithm; what a liar can make of their messages |
//! | 2 | [`application`] | what an election is for: one folder an application, as pure as an algorithm |
//! | 2 | [`fault`] | what can go wrong, its text form, link verdicts, the dice |
//! | 2 | `bench` | for tests alone: one machine with one input at a time, and a network of machines |
//! | 3 | [`registry`] | what is built in: one line for each algorithm and each application |
//! | 3 | [`link`] | what stands between socket and machine: order filter, verdict queue, ordered broadcast, tampering |
//! | 3 | [`record`] | the record and its one text form, the session file and its recorder, the frames, the one hub that serves watchers |
//! | 3 | [`liar`] | a machine round a machine that may lie |
//! | 3 | [`lab`] | a lab file as typed data |
//! | 4 | [`world`] | the fold of records: causal order, nodes, groups, faults; happened-before and the past of an event |
//! | 4 | [`driver`] | what a real node and a simulated one share round a machine: its step, its holds, its way from the link; conformance of what was recorded |
//! | 5 | [`judge`] | properties, excuses, the assumption meter; why: the causes of a state in sentences |
//! | 5 | [`node`] | the real process: sockets, wire, store, clock |
//! | 6 | [`script`] | the conductor: steps and expectations; orders: fault lines carried out |
//! | 7 | [`host`] | spawns, stops, records, judges, serves watchers |
//! | 7 | [`sim`] | the same labs in virtual time |
//! | 7 | [`dashboard`] | the screen, live, replayed and simulated |
//! | 7 | [`web`] | pages for the browsers of this computer: what a listener reads, bounds and refuses |
//! | 8 | [`export`] | one file a format |
//! | 8 | [`explore`] | every order of a small lab, in ticks: a model of stateright over the true machines, its search, a counterexample as a lab file |
//! | 8 | [`measure`] | what the papers claim, measured on many simulated runs, and rounds on real processes too: one folder a measurement |
//! | 8 | `mutants` | for tests alone: bugs planted in machines, and the hunt for them |
//! | 9 | [`cli`] | one file a command |
//!
//! Words that are met everywhere. Each has one meaning, and so has each type's name (`tests/house/names.rs` holds it):
//!
//! | word | meaning | type |
//! |---|---|---|
//! | node | A node is one member of a lab; its number names it. | `NodeId` |
//! | process | A process runs a node. It may die, and another one may start. | `ProcessState` |
//! | machine | A machine is an algorithm's state machine at a node. The hardware is this computer. | `Algorithm` |
//! | incarnation | An incarnation counts the starts of a node. | `Incarnation` |
//! | input | An input is one thing that a machine is given. | `Input` |
//! | effect | An effect is one thing that a machine wants done. | `Effect` |
//! | step | A step is one input of a machine and its answer. | `Step` |
//! | lab's step | A lab's step orders fault lines when its time or its condition comes. | `LabStep` |
//! | record | A record says what happened, when and where. | `Record` |
//! | stamp | A stamp says when something happened, in lab time. | `Stamp` |
//! | session | A session is the file of a lab's records. | `StoredSession`, `SessionWriter` |
//! | lab | A lab says which nodes run which algorithm, what befalls them, and what is expected. | `Lab` |
//! | fault | A fault is something that a person or a lab breaks; its id names it. | `FaultId` |
//! | fault line | A fault line is one sentence that orders a fault or ends it. | `FaultLine` |
//! | link | A link is a datagram's way into a machine, and the place at which faults befall it. | `Link` |
//! | topology | The topology says what is in force on each link, and what waits there. | `Topology` |
//! | courier | The courier is a person's hand in the queue of a held link. | `Courier` |
//! | lesson | A lesson is a lab whose steps tell something, and ask, while they are played. | `Narration` |
//! | prediction | A prediction says who wins the next election, and with how many messages. | `Prediction` |
//! | moment | A moment is something that a machine does and that a lab waits for. | `Moment` |
//! | promise, property | An algorithm promises a property, and the judge watches it. | `Property` |
//! | assumption | An assumption is what a promise stands on. | `Assumption` |
//! | violation | A violation is a contradiction to a property. | `ViolationReport` |
//! | excuse | An excuse is a broken assumption that led to a violation. | `Excuse` |
//! | due | A property is due when it is looked at and nothing broken had a part in it. | `Tally` |
//! | quiet | A lab is quiet while nothing keeps it from coming to rest. | `Quiet` |
//! | verdict | A verdict says how an expectation came out. | `VerdictView` |
//! | hole | A hole is a mistake in a paper. | `HoleCard` |
//! | mend, errata | A mend closes a hole. The setting `errata` names the holes that are mended. | `Mends` |
//! | Card | A Card says what an algorithm needs, promises and costs. | `Card` |
//! | application | An application is what a lab's processes do for their group between elections. | `Application` |
//! | work | A process's work is what its application does, as everybody sees it. | `Work` |
//! | lie, liar | A liar is a process that is ordered to lie: it says or keeps back what its algorithm would not. | `Lie`, `Liar` |
//! | shard | A shard is one part of a long computation; a definition gives each to one process. | `ShardSet` |
//! | history | The history of a group is the graph of the groups in which its members were before. | `FormedGroup` |
//! | update | An update adds a number to a replicated counter; each place of its log has one. | `LoggedUpdate` |
//! | conflict | Two updates conflict if neither builds on the other: without the majority rule two groups do them. | `ConflictList` |
//! | transaction | A transaction is one attempt of a coordinator to do an update with its group. | `TransactionId` |
//! | in doubt | A process is in doubt about what it has prepared, until it knows the outcome. | `PreparedUpdate` |
//! | bystander | A bystander is a node that does not elect: it runs an application alone. | |
//! | resource | A resource is a bystander that takes writes of coordinators. | |
//! | newcomer | A newcomer is a process that is no member of the group yet, and asks to be admitted. | `JoinWork` |
//! | copy, weight | A copy of a replicated counter has a weight. Only more than half of all weight may write. | `CopyWork` |
//! | term | A term of a coordinator begins when it comes to Normal; its writes bear it. | `TermId` |
//! | service | A service is what a user asks for: parts that a server does one after the other. | `ServiceLog` |
//! | account | The account of a service says how far it is, and who serves it. | `ServiceLog` |
//! | critical section | A critical section is what at most one process does at a time. | `SectionWork` |
//! | token | A token lets the process that has it into a critical section. | `TokenWork` |
//! | guess | A guess names the process that another one would ask for the token. | |
//! | waiting list | In a waiting list each process knows the next one, to which it hands the token. | |
//! | listing | A listing is a paper's text of an algorithm, line by line. | `Line` |
//! | coverage | The coverage of a listing says which of its lines were reached, how often, and who is on them. | `ListingCoverage` |
//! | roster | A roster holds all nodes of a lab and their rank. | `Roster` |
//! | keyring | With its keyring a process signs what it says, and verifies what others have signed. | `Keyring` |
//! | agreement | In an agreement each process's list is the same for all correct processes, or nobody has it. | `Algorithm53` |
//! | criterion, capacity | A criterion gives each process a capacity. The largest capacity is elected. | `Criterion` |
//! | election | An election is the work of nodes to agree on a coordinator. | |
//! | coordinator | A coordinator is the node that a group has elected. Some papers call it master or leader. | |
//! | group number | A group number names one group and is never used twice. | `GroupNumber` |
//! | sentence | A sentence of an explanation ends in the numbers of the records that it rests on. | `Sentence` |
//! | flight recorder | The flight recorder holds the last minute of a running lab, for a screen that plays it again. | `FlightRecorder` |
//! | watcher | A watcher reads the records of a lab while it runs. | `Watcher` |
//! | plan | A plan says which lab is simulated, and how. | `Plan` |
//! | run | A run takes one lab from its beginning to its end. | `Run` |
//! | conductor | A conductor takes a lab's steps and waits for what is expected. | `Conductor` |
//! | survey | A survey looks at each of its points with every seed. | `SeedSurvey` |
//! | weather | The weather says how a simulation draws delays and starts. | `Weather` |
//!
//! Invariants:
//! - `protocol`, `election` and `application` know no clock, no randomness, no socket, no file, no log, no tokio, no ratatui.
//! - Only [`registry`] and [`measure`] know algorithms by name, and the tests: who changes one compiles these and the
//!   command line, and no room between.
//! - What stands round a machine is written once: a real node and a simulated one differ in their surroundings only.
//! - Drivers know no algorithm by name; algorithms know no driver.
//! - A panel cannot tell where its records come from, and takes `&Model`.
//! - Observing never slows an election: queues are bounded, what is dropped is counted, the gap is itself a record.
//! - A record is written before its effects are carried out, so a kill loses no cause. That a node is held at a moment,
//!   with the effects before it carried out, is therefore not told by the record but by `Report::Held` after it.
//! - Time is one: lab time is the same for all of a lab, stamps are in it, and links delay and layers deliver by it. Slow
//!   motion runs it slower or faster than this computer's clock, for all processes at one instant; the time that a
//!   process is given to start, to answer or to die counts by that clock. What a `clock` fault runs at another rate is
//!   the machine's own clock, by which its timers run and nothing else does; when a timer was set and was due stands in
//!   lab time, so everything that is recorded compares across nodes.
//! - Faults live in one place; dice are a function of seed, fault and datagram.

mod app;
mod check;
pub mod cli;

pub use app::App;
pub use check::{CheckError, check};
pub use {
    application, dashboard, driver, election, explore, export, fault, host, judge, lab, liar, link, measure, node,
    protocol, record, registry, script, sim, web, world,
};
