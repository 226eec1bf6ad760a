(** The rule for lower bounds: strategies, each from those after it, with chances that adversaries attain. *)
From Coq Require Import QArith List Lqa Lia Bool ZArith FMapPositive.
From Dpcert Require Import Sums Games PairedSimulation Tensor Strategies PositionCheck.
Import ListNotations.
Open Scope Q_scope.

Inductive answer := Bet (accept : bool) | GoOn (play : positive).

(** At a position: which option is asked for, and what is done after each of its outcomes. *)
Record plan := { plan_at : positive; plan_option : nat; plan_answers : list answer }.

(** What is known of a plan: its position, the chance of acceptance in either world, and the options that it asks for,
    where these do not depend on what is seen. *)
Definition chances := PositiveMap.t (positive * (Q * Q) * option (list nat)).

Definition answered (known : chances) (o : outcome) (x : answer) : option (Q * Q) :=
  match x with
  | Bet true => Some (1, 1)
  | Bet false => Some (0, 0)
  | GoOn k =>
    match PositiveMap.find k known, snd o with
    | Some (v', c, _), Some v => if Pos.eqb v v' then Some c else None
    | _, _ => None
    end
  end.

Fixpoint together (t0 t1 : Q) (known : chances) (os : list outcome) (xs : list answer) : option (Q * Q) :=
  match os, xs with
  | [], [] => Some (0, 0)
  | o :: os', x :: xs' =>
    match answered known o x, together t0 t1 known os' xs' with
    | Some c, Some r =>
      Some (Qred (fst (snd (fst o)) / t0 * fst c + fst r), Qred (snd (snd (fst o)) / t1 * snd c + snd r))
    | _, _ => None
    end
  | _, _ => None
  end.

Fixpoint starts (s t : list nat) : bool :=
  match s, t with [], _ => true | x :: s', y :: t' => Nat.eqb x y && starts s' t' | _, _ => false end.

Definition longer (s t : list nat) : option (list nat) :=
  if starts s t then Some t else if starts t s then Some s else None.

(** The stream of which all are beginnings. *)
Fixpoint common (l : list (option (list nat))) : option (list nat) :=
  match l with
  | [] => Some []
  | Some s :: r => match common r with Some t => longer s t | None => None end
  | None :: _ => None
  end.

Definition stream_after (known : chances) (x : answer) : option (list nat) :=
  match x with
  | Bet _ => Some []
  | GoOn k => match PositiveMap.find k known with Some (_, _, s) => s | None => None end
  end.

Definition stream_of (known : chances) (p : plan) : option (list nat) :=
  option_map (cons (plan_option p)) (common (map (stream_after known) (plan_answers p))).

Lemma starts_spec : forall s t, starts s t = true -> exists u, t = s ++ u.
Proof.
  induction s as [|x s IH]; intros t H; [now exists t|]. destruct t as [|y t]; [discriminate|]. simpl in H.
  apply andb_true_iff in H as [E H]. apply Nat.eqb_eq in E as ->. destruct (IH t H) as [u ->]. now exists u.
Qed.

Lemma common_spec : forall l t, common l = Some t -> forall o, In o l -> exists s u, o = Some s /\ t = s ++ u.
Proof.
  induction l as [|o l IH]; intros t H o' I; [easy|]. simpl in H. destruct o as [s|]; [|discriminate].
  destruct (common l) as [t'|]; [|discriminate]. unfold longer in H.
  destruct (starts s t') eqn:E1; [|destruct (starts t' s) eqn:E2; [|discriminate]]; injection H as <-.
  - destruct I as [<-|I]; [|now apply IH]. destruct (starts_spec _ _ E1) as [u ->]. now exists s, u.
  - destruct I as [<-|I]; [exists s, []; split; [easy|now rewrite app_nil_r]|].
    destruct (IH t' eq_refl o' I) as (s' & u' & -> & ->). destruct (starts_spec _ _ E2) as [u ->].
    exists s', (u' ++ u). split; [easy|]. now rewrite app_assoc.
Qed.

Fixpoint distinct (l : list Z) : bool :=
  match l with [] => true | x :: r => negb (existsb (Z.eqb x) r) && distinct r end.

Lemma distinct_spec l : distinct l = true -> NoDup l.
Proof.
  induction l as [|x r IH]; simpl; [constructor|]. intros H. apply andb_true_iff in H as [N D].
  constructor; [|now apply IH]. intros I. apply negb_true_iff in N.
  assert (existsb (Z.eqb x) r = true) by (apply existsb_exists; exists x; split; [exact I|apply Z.eqb_refl]).
      congruence.
Qed.

Definition chance_of (T : table) (known : chances) (p : plan) : option (Q * Q) :=
  match nth_error (options_at T (Some (plan_at p))) (plan_option p) with
  | None => None
  | Some os => if distinct (map (fun o => fst (fst o)) os)
    then together (total0 os) (total1 os) known os (plan_answers p) else None
  end.

Fixpoint evaluated (T : table) (known : chances) (l : list (positive * plan)) : option chances :=
  match l with
  | [] => Some known
  | (k, p) :: r =>
    match chance_of T known p with
    | Some c => evaluated T (PositiveMap.add k (plan_at p, c, stream_of known p) known) r
    | None => None
    end
  end.

Section Attained.
Context (T : table).
Notation K := (of_table T).

Definition follows (s : strategy (K := K)) (stream : option (list nat)) : Prop :=
  match stream with Some ms => agrees s ms | None => True end.

(** Some strategy has these chances from the position on, with enough rounds left, and asks for what the stream says. *)
Definition reaches (v : option positive) (c : Q * Q) (stream : option (list nat)) : Prop :=
  exists s n0, follows s stream /\
    forall n, (n0 <= n)%nat -> forall a b, payoff (K := K) n s v a b == b * snd c - a * fst c.

Definition sound_chances (known : chances) : Prop :=
  forall k v c stream, PositiveMap.find k known = Some (v, c, stream) -> reaches (Some v) c stream.

Lemma answered_reaches known o x c : sound_chances known -> answered known o x = Some c ->
  reaches (snd o) c (stream_after known x).
Proof.
  intros S. destruct x as [[|]|k]; simpl.
  - intros [= <-]. exists (Stop true), O. split; [exact I|]. intros [|n] _ a b; simpl; lra.
  - intros [= <-]. exists (Stop false), O. split; [exact I|]. intros [|n] _ a b; simpl; lra.
  - destruct (PositiveMap.find k known) as [[[v' c'] st]|] eqn:E; [|discriminate].
    destruct (snd o) as [v|]; [|discriminate]. destruct (Pos.eqb v v') eqn:Ev; [|discriminate].
    apply Pos.eqb_eq in Ev as ->. intros [= <-]. exact (S k v' c' st E).
Qed.

Lemma eventually {X} (P : X -> nat -> Prop) (l : list X) :
  (forall x, In x l -> exists n0, forall n, (n0 <= n)%nat -> P x n) ->
  exists n0, forall n, (n0 <= n)%nat -> forall x, In x l -> P x n.
Proof.
  induction l as [|x l IH]; intros H; [exists O; intros n _ x []|].
  destruct (H x) as [n1 H1]; [now left|]. destruct IH as [n2 H2]; [intros; apply H; now right|].
  exists (Nat.max n1 n2). intros n Hn y [<-|I]; [apply H1|apply H2]; trivial; lia.
Qed.

Lemma together_in t0 t1 known : forall os xs c, together t0 t1 known os xs = Some c ->
  forall o x, In (o, x) (combine os xs) -> exists d, answered known o x = Some d.
Proof.
  induction os as [|o os IH]; intros [|x xs] c H p y I; simpl in *; try easy.
  destruct (answered known o x) as [d|] eqn:E; [|discriminate].
  destruct (together t0 t1 known os xs) as [r|] eqn:Er; [|discriminate].
  destruct I as [[= <- <-]|I]; [now exists d|]. exact (IH xs r Er p y I).
Qed.

Lemma together_length t0 t1 known : forall os xs c, together t0 t1 known os xs = Some c ->
  map fst (combine os xs) = os.
Proof.
  induction os as [|o os IH]; intros [|x xs] c H; simpl in *; try easy.
  destruct (answered known o x); [|discriminate]. destruct (together t0 t1 known os xs) as [r|] eqn:E; [|discriminate].
  f_equal. exact (IH xs r E).
Qed.

Lemma together_sum t0 t1 known (f : outcome -> Q -> Q -> Q) a b : forall os xs c,
  (forall o x d, In (o, x) (combine os xs) -> answered known o x = Some d ->
     forall a' b', f o a' b' == b' * snd d - a' * fst d) ->
  together t0 t1 known os xs = Some c ->
  sum (fun o => f o (a * (fst (snd (fst o)) / t0)) (b * (snd (snd (fst o)) / t1))) os == b * snd c - a * fst c.
Proof.
  induction os as [|o os IH]; intros [|x xs] c F H; simpl in H; try discriminate.
  - injection H as <-. simpl. lra.
  - destruct (answered known o x) as [d|] eqn:E; [|discriminate].
    destruct (together t0 t1 known os xs) as [r|] eqn:Er; [|discriminate]. injection H as <-.
    cbn [sum fst snd]. rewrite (F o x d (or_introl eq_refl) E).
    rewrite (IH xs r) by (trivial; intros; apply (F o0 x0); trivial; now right).
    rewrite (Qred_correct (fst (snd (fst o)) / t0 * fst d + fst r)).
    rewrite (Qred_correct (snd (snd (fst o)) / t1 * snd d + snd r)). ring.
Qed.

Lemma chance_of_reaches known p c : sound_chances known -> chance_of T known p = Some c ->
  reaches (Some (plan_at p)) c (stream_of known p).
Proof.
  intros S. unfold chance_of. destruct (nth_error _ _) as [os|] eqn:E; [|discriminate].
  destruct (distinct _) eqn:D; [|discriminate]. intros H. apply distinct_spec in D.
  set (zs := combine os (plan_answers p)).
  destruct (choose_all (K := K) Z.eq_dec (fun z : outcome * answer => fst (fst (fst z)))
    (fun z s => exists n0, forall n, (n0 <= n)%nat -> forall d, answered known (fst z) (snd z) = Some d ->
       forall a b, payoff (K := K) n s (snd (fst z)) a b == b * snd d - a * fst d)
    (fun s => follows s (common (map (stream_after known) (plan_answers p)))) (Stop false) zs) as [next [Hn Hj]].
  - destruct (common _); exact I.
  - unfold zs. rewrite <- (map_map fst (fun o : outcome => fst (fst o))), (together_length _ _ _ _ _ _ H). exact D.
  - intros [o x] I. destruct (together_in _ _ _ _ _ _ H o x I) as [d Ed]. cbn [fst snd].
    destruct (answered_reaches known o x d S Ed) as (s & n0 & Ag & Hs). exists s. split.
    + exists n0. intros n Hle d' Ed'. assert (d' = d) as -> by congruence. now apply Hs.
    + destruct (common _) as [t|] eqn:Ec; [|exact Logic.I].
      destruct (common_spec _ _ Ec (stream_after known x)) as (s' & u & Es & ->).
      { apply in_map. exact (in_combine_r _ _ _ _ I). }
      rewrite Es in Ag. exact (agrees_longer (K := K) s' s u Ag).
  - destruct (eventually (fun z n => forall d, answered known (fst z) (snd z) = Some d -> forall a b,
      payoff (K := K) n (next (fst (fst (fst z)))) (snd (fst z)) a b == b * snd d - a * fst d) zs) as [n0 Hall].
    { intros z I. destruct (Hn z I) as [n0 H0]. exists n0. exact H0. }
    exists (Ask (K := K) (plan_option p) next), (Datatypes.S n0). split.
    { unfold stream_of. destruct (common _) as [t|]; simpl; [split; [reflexivity|exact Hj]|exact I]. }
    intros n Hle a b.
    destruct n as [|n]; [lia|]. cbn [payoff kernel_step of_table]. rewrite E. cbn [option_map].
    unfold normal. rewrite sum_map. cbn [fst snd].
    apply (together_sum (total0 os) (total1 os) known
      (fun o => payoff (K := K) n (next (fst (fst o))) (snd o)) a b os (plan_answers p) c); [|exact H].
    intros o x d I Ed a' b'. exact (Hall n (le_S_n _ _ Hle) (o, x) I d Ed a' b').
Qed.

Lemma evaluated_sound : forall l known known', sound_chances known -> evaluated T known l = Some known' ->
  sound_chances known'.
Proof.
  induction l as [|[k p] l IH]; intros known known' S H; simpl in H; [now injection H as <-|].
  destruct (chance_of T known p) as [c|] eqn:E; [|discriminate]. apply (IH _ _) in H; [exact H|].
  intros k' v c' st F. destruct (Pos.eq_dec k' k) as [->|Ne].
  - rewrite PositiveMap.gss in F. injection F as <- <- <-. now apply (chance_of_reaches known).
  - rewrite PositiveMap.gso in F by exact Ne. exact (S k' v c' st F).
Qed.

(** What a strategy reaches, an adversary attains, in both orders. *)
Lemma reaches_attained v c stream : reaches v c stream ->
  exists n (A : adversary (of_kernels K)) phi, is_test A phi /\
  (forall ms, stream = Some ms -> writes A ms) /\ forall reversed e,
  gained reversed e (probability A n (start (K := K) v) phi 0) (probability A n (start (K := K) v) phi 1)
  == gained reversed e (fst c) (snd c).
Proof.
  intros (s & n0 & Ag & H). exists n0, (follow s), (accept s).
  destruct (strategy_attained s n0 v) as [Ht E]. split; [exact Ht|]. split.
  - intros ms ->. now apply follow_writes.
  - intros [|] e; unfold gained.
    + pose proof (E (-(1)) (- e)) as X. rewrite (H n0 (le_n _)) in X. lra.
    + pose proof (E e 1) as X. rewrite (H n0 (le_n _)) in X. lra.
Qed.
End Attained.
