(** Deterministic adversaries as trees, played forwards: what one reaches is a lower bound. *)
From Coq Require Import QArith List Lqa.
From Dpcert Require Import Sums Games.
Import ListNotations.
Open Scope Q_scope.

Section Strategies.
Context {K : kernels}.

Inductive strategy := Stop (accept : bool) | Ask (m : kernel_move K) (next : kernel_visible K -> strategy).

Fixpoint payoff (n : nat) (s : strategy) (p : kernel_position K) (a b : Q) : Q :=
  match s with
  | Stop t => if t then b - a else 0
  | Ask m next =>
    match n with
    | O => 0
    | S k =>
      match kernel_step K p m with
      | None => 0
      | Some os => sum (fun o : kernel_visible K * (Q * Q) * kernel_position K =>
          payoff k (next (fst (fst o))) (snd o) (a * fst (snd (fst o))) (b * snd (snd (fst o)))) os
      end
    end
  end.

(** A strategy as an adversary. *)
Fixpoint state (s : strategy) (h : list (unit * option (kernel_visible K))) : strategy :=
  match h with
  | [] => s
  | (_, o) :: r => match o, state s r with Some y, Ask _ next => next y | _, t => t end
  end.

Definition follow (s : strategy) : adversary (of_kernels K).
Proof.
  apply (Build_adversary (of_kernels K) unit (fun _ => [(1, tt)])
    (fun h _ => match state s h with Ask m _ => Some m | Stop _ => None end)).
  - intros h x [<-|[]]. simpl. lra.
  - intros h. simpl. lra.
Defined.

Definition accept (s : strategy) (h : view (follow s)) : Q := match state s h with Stop true => 1 | _ => 0 end.

Lemma follow_payoff s a b n : forall h p w0 w1,
  total (follow s) (fun k u => b * (accept s k * likelihood (of_kernels K) 1 u)
                               - a * (accept s k * likelihood (of_kernels K) 0 u)) n (p, (w0, w1)) h ==
                                   payoff n (state s h) p (a * w0) (b * w1).
Proof.
  induction n as [|n IH]; intros h p w0 w1.
  - rewrite total_0. unfold accept. simpl. destruct (state s h) as [[|]|]; lra.
  - rewrite total_S. cbn [draw follow sum fst snd act].
    unfold accept. cbn [state].
    destruct (state s h) as [t|m next] eqn:E.
    + cbn [reply payoff likelihood of_kernels fst snd]. destruct t; lra.
    + cbn [reply step of_kernels fst snd payoff]. destruct (kernel_step K p m) as [os|]; cbn [option_map].
      * rewrite sum_map, Qplus_0_r, Qmult_1_l. apply sum_ext. intros [[y [k0 k1]] q] _. cbn [fst snd].
        rewrite <- !Qmult_assoc_eq. specialize (IH ((tt, Some y) :: h) q (w0 * k0) (w1 * k1)).
        cbn [state] in IH. rewrite E in IH. exact IH.
      * lra.
Qed.

(** What a strategy makes of a slope, worked out forwards, is what an adversary attains. *)
Theorem strategy_attained s n p : is_test (follow s) (accept s) /\ forall a b,
  b * probability (follow s) n (start p) (accept s) 1 - a * probability (follow s) n (start p) (accept s) 0
  == payoff n s p a b.
Proof.
  split.
  - intros h. unfold accept. destruct (state s h) as [[|]|]; lra.
  - intros a b. unfold probability. rewrite total_diff. unfold start. now rewrite follow_payoff, !Qmult_1_r_eq.
Qed.

(** Where outcomes look different, what is done after each can be chosen separately; [J] holds of all that is chosen. *)
Lemma choose_all (eqO : forall x y : kernel_visible K, {x = y} + {x <> y}) {O S : Type} (obs : O -> kernel_visible K)
    (R : O -> S -> Prop) (J : S -> Prop) (s0 : S) (os : list O) :
  J s0 -> NoDup (map obs os) -> (forall o, In o os -> exists s, R o s /\ J s) ->
  exists next : kernel_visible K -> S, (forall o, In o os -> R o (next (obs o))) /\ forall y, J (next y).
Proof.
  intros J0. induction os as [|o r IH]; intros Nd H; [exists (fun _ => s0); split; [easy|auto]|].
  inversion Nd as [|x l Ni Nr]; subst. destruct IH as [next [Hn Hj]]; [exact Nr|intros; apply H; now right|].
  destruct (H o) as [s [Hs Js]]; [now left|].
  exists (fun y => if eqO y (obs o) then s else next y). split.
  - intros q [<-|I].
    + now destruct (eqO (obs o) (obs o)).
    + destruct (eqO (obs q) (obs o)) as [E|]; [|now apply Hn].
      exfalso. apply Ni. rewrite <- E. now apply in_map.
  - intros y. destruct (eqO y (obs o)); auto.
Qed.

Corollary choose (eqO : forall x y : kernel_visible K, {x = y} + {x <> y}) {O S : Type} (obs : O -> kernel_visible K)
    (R : O -> S -> Prop) (s0 : S) (os : list O) :
  NoDup (map obs os) -> (forall o, In o os -> exists s, R o s) ->
  exists next : kernel_visible K -> S, forall o, In o os -> R o (next (obs o)).
Proof.
  intros Nd H. destruct (choose_all eqO obs R (fun _ => True) s0 os I Nd) as [next [Hn _]]; [|now exists next].
  intros o Io. destruct (H o Io) as [s Hs]. now exists s.
Qed.

(** ** Streams that are fixed in advance *)

(** The adversary's moves are those of the stream, whatever it sees; it may stop looking. *)
Definition writes (A : adversary (of_kernels K)) (ms : list (kernel_move K)) : Prop :=
  forall h c m, Forall (fun e => snd e <> None) h -> act A h c = Some m -> nth_error ms (length h) = Some m.

Fixpoint agrees (s : strategy) (ms : list (kernel_move K)) : Prop :=
  match s with
  | Stop _ => True
  | Ask m next => match ms with [] => False | x :: r => m = x /\ forall y, agrees (next y) r end
  end.

Lemma agrees_longer ms : forall s more, agrees s ms -> agrees s (ms ++ more).
Proof.
  induction ms as [|x ms IH]; intros [t|m next] more; simpl; try easy. intros [E H]. split; [exact E|].
  intros y. now apply IH.
Qed.

Lemma state_agrees s ms : agrees s ms -> forall h, Forall (fun e : unit * option (kernel_visible K) => snd e <> None) h ->
  agrees (state s h) (skipn (length h) ms).
Proof.
  intros H. induction h as [|[u o] h IH]; intros F; [exact H|]. inversion F as [|? ? No F']; subst. simpl in No.
  specialize (IH F'). cbn [state length]. destruct o as [y|]; [|congruence].
  destruct (state s h) as [t|m next]; [exact I|]. cbn [agrees] in IH.
  destruct (skipn (length h) ms) as [|x r] eqn:E; [easy|]. destruct IH as [_ IH].
  assert (skipn (S (length h)) ms = r) as ->; [|apply IH].
  clear -E. revert ms E. induction (length h) as [|n IHn]; intros [|z ms] E; simpl in *; try easy.
  - now injection E.
  - now apply IHn.
Qed.

Lemma follow_writes s ms : agrees s ms -> writes (follow s) ms.
Proof.
  intros H h c m F E. cbn [act follow] in E. pose proof (state_agrees s ms H h F) as Ag.
  destruct (state s h) as [t|m' next]; [discriminate|]. injection E as <-. cbn [agrees] in Ag.
  match type of Ag with match skipn ?n ms with _ => _ end => change (nth_error ms n = Some m'); revert Ag; generalize n end.
  intros n Ag. destruct (skipn n ms) as [|x r] eqn:Es; [easy|]. destruct Ag as [<- _].
  clear -Es. revert ms Es. induction n as [|n IHn]; intros [|z ms] E; simpl in *; try easy.
  - now injection E as <- _.
  - now apply IHn.
Qed.

End Strategies.
