(** The rule of the certificate checker for positions, as a boolean function over Q: where it says true, the claimed
    curves bound every adversary. *)
From Coq Require Import QArith Qminmax List Lqa Lia Bool ZArith FMapPositive.
From Dpcert Require Import Sums Games Chains PairedSimulation Tensor Envelope CurveOrder.
Import ListNotations.
Open Scope Q_scope.

(** An outcome: what is seen (a number), its weights in both worlds, and the position after it; [None]: nothing more
    can be learnt. *)
Definition outcome : Type := Z * (Q * Q) * option positive.

Record node := { curve : pairs; options : list (list outcome) }.

Definition table := PositiveMap.t node.

Definition weights (os : list outcome) (o : outcome) : Q * Q := snd (fst o).

Definition total0 (os : list outcome) : Q := sum (fun o => fst (snd (fst o))) os.
Definition total1 (os : list outcome) : Q := sum (fun o => snd (snd (fst o))) os.

(** Weights of an option become probabilities. *)
Definition normal (os : list outcome) : list (Z * (Q * Q) * option positive) :=
  map (fun o => (fst (fst o), (fst (snd (fst o)) / total0 os, snd (snd (fst o)) / total1 os), snd o)) os.

Definition options_at (T : table) (v : option positive) : list (list outcome) :=
  match v with Some k => match PositiveMap.find k T with Some n => options n | None => [] end | None => [] end.

(** The game of a table. *)
Definition of_table (T : table) : kernels := {|
  kernel_position := option positive; kernel_move := nat; kernel_visible := Z;
  kernel_step := fun v m => option_map normal (nth_error (options_at T v) m) |}.

Definition over : pairs := [(1, 1)].

Definition curve_at (T : table) (v : option positive) : pairs :=
  match v with Some k => match PositiveMap.find k T with Some n => curve n | None => over end | None => over end.

(** What the curve of a position allows at a slope; its masses count in proportion to their sum. *)
Definition worth (C : pairs) (a b : Q) : Q := hockey_stick C (a / sum fst C) (b / sum snd C).

(** ** Curves *)

(** Slopes fall strictly. *)
Fixpoint falls (p : Q * Q) (S : pairs) : bool :=
  match S with
  | [] => true
  | z :: r => Qle_bool 0 (fst z) && Qle_bool 0 (snd z) && negb (Qle_bool (det p (ray z)) 0) && falls (ray z) r
  end.

Definition is_curve (S : pairs) : bool :=
  match S with
  | [] => false
  | z :: r => Qle_bool 0 (fst z) && Qle_bool 0 (snd z) && negb (Qle_bool (fst z + snd z) 0) && falls (ray z) r
              && negb (Qle_bool (sum fst S) 0) && negb (Qle_bool (sum snd S) 0)
  end.

Lemma positive_bool q : negb (Qle_bool q 0) = true -> 0 < q.
Proof. intros H. apply negb_true_iff in H. apply Qnot_le_lt. intros X. apply Qle_bool_iff in X. congruence. Qed.

Lemma falls_spec : forall S p, falls p S = true -> 0 <= fst p -> 0 <= snd p -> falling p S.
Proof.
  induction S as [|z S IH]; intros p H P0 P1; simpl; trivial. simpl in H.
  rewrite !andb_true_iff in H. destruct H as [[[Z0 Z1] D] F]. apply Qle_bool_iff in Z0, Z1. apply positive_bool in D.
  repeat split; trivial.
  - unfold det, ray in D. simpl in D. destruct (Qlt_le_dec 0 (fst z + snd z)) as [X|X]; trivial. exfalso.
    assert (fst z == 0) by lra. assert (snd z == 0) by lra. rewrite H, H0 in D. lra.
  - lra.
  - apply IH; trivial.
Qed.

Lemma is_curve_spec S : is_curve S = true -> falling (1, 0) S /\ 0 < sum fst S /\ 0 < sum snd S.
Proof.
  destruct S as [|z S]; [discriminate|]. cbn [is_curve]. rewrite !andb_true_iff.
  intros [[[[[Z0 Z1] Zp] F] T0] T1]. apply Qle_bool_iff in Z0, Z1. apply positive_bool in Zp, T0, T1.
  split; [|now split]. cbn [falling]. repeat split; trivial.
  - unfold det, ray. simpl. lra.
  - now apply falls_spec.
Qed.

(** ** One option *)

Definition lcm_of (q r : Q) : Q := Z.lcm (Qnum q) (Qnum r) # 1.

(** The scales that make every factor a whole number, where masses and weights are. *)
Definition scale0 (look : option positive -> pairs) (C : pairs) (os : list outcome) : Q :=
  fold_right (fun o => lcm_of (total0 os * sum fst (look (snd o)))) (sum fst C) os.
Definition scale1 (look : option positive -> pairs) (C : pairs) (os : list outcome) : Q :=
  fold_right (fun o => lcm_of (total1 os * sum snd (look (snd o)))) (sum snd C) os.

Definition scaled_by (c0 c1 : Q) (S : pairs) : pairs := map (fun z => (c0 * fst z, c1 * snd z)) S.

(** Whether the curve [C] bounds an option, where what follows has the curves that [look] finds. *)
Definition check_option (look : option positive -> pairs) (C : pairs) (os : list outcome) : bool :=
  let t0 := total0 os in let t1 := total1 os in
  let u0 := scale0 look C os in let u1 := scale1 look C os in
  forallb (fun o : outcome => Qle_bool 0 (fst (snd (fst o))) && Qle_bool 0 (snd (snd (fst o)))) os
  && negb (Qle_bool t0 0) && negb (Qle_bool t1 0) && negb (Qle_bool u0 0) && negb (Qle_bool u1 0)
  && bounds (scaled_by (Qred (u0 / sum fst C)) (Qred (u1 / sum snd C)) C)
       (map (fun o : outcome =>
          let next := look (snd o) in
          ((Qred (u0 * fst (snd (fst o)) / (t0 * sum fst next)), Qred (u1 * snd (snd (fst o)) / (t1 * sum snd next))),
           next)) os).

Definition known (T : table) (o : outcome) : bool :=
  match snd o with Some k => match PositiveMap.find k T with Some _ => true | None => false end | None => true end.

Definition check_node (T : table) (n : node) : bool :=
  is_curve (curve n) && forallb (fun os => forallb (known T) os && check_option (curve_at T) (curve n) os) (options n).

Definition of_list {N : Type} (l : list (positive * N)) : PositiveMap.t N :=
  fold_right (fun kn T => PositiveMap.add (fst kn) (snd kn) T) (PositiveMap.empty N) l.

Definition check_positions (l : list (positive * node)) : bool :=
  let T : table := of_list l in forallb (fun kn => check_node T (snd kn)) l.

Lemma of_list_in {N : Type} (l : list (positive * N)) k n : PositiveMap.find k (of_list l) = Some n -> In (k, n) l.
Proof.
  induction l as [|[k' n'] l IH]; simpl.
  - now rewrite PositiveMap.gempty.
  - destruct (Pos.eq_dec k k') as [->|Ne].
    + rewrite PositiveMap.gss. intros [= ->]. now left.
    + rewrite PositiveMap.gso by exact Ne. auto.
Qed.

Lemma over_falling : falling (1, 0) over.
Proof. simpl. unfold det, ray. simpl. repeat split; lra. Qed.

Definition sound_curve (C : pairs) : Prop := falling (1, 0) C /\ 0 < sum fst C /\ 0 < sum snd C.

Lemma over_sound : sound_curve over.
Proof. split; [exact over_falling|unfold over; simpl; split; lra]. Qed.

Lemma curve_at_spec l v : check_positions l = true -> sound_curve (curve_at (of_list l) v).
Proof.
  intros H. pose proof over_sound as O. destruct v as [k|]; [|exact O]. simpl. destruct (PositiveMap.find k (of_list l)) as [n|] eqn:E; [|exact O].
  apply of_list_in in E. unfold check_positions in H. rewrite forallb_forall in H. specialize (H _ E). simpl in H.
  apply andb_true_iff in H as [H _]. now apply is_curve_spec.
Qed.

Lemma falling_scaled_from c0 c1 : 0 < c0 -> 0 < c1 -> forall S p p' k, falling p S -> 0 < k ->
  fst p' == k * (c1 * fst p) -> snd p' == k * (c0 * snd p) -> falling p' (scaled_by c0 c1 S).
Proof.
  intros C0 C1. induction S as [|z S IH]; intros p p' k F Kp E0 E1; simpl; trivial.
  destruct F as (Z0 & Z1 & Zp & D & F). unfold det, ray in *. cbn [fst snd] in *.
  split; [nra|]. split; [nra|]. split; [|split].
  - destruct (Qlt_le_dec 0 (fst z)) as [X|X]; [nra|]. assert (0 < snd z) by lra. nra.
  - rewrite E0, E1. assert (0 <= c0 * c1) by nra. assert (0 <= k * (c0 * c1)) by nra.
    setoid_replace (k * (c1 * fst p) * (c0 * fst z) - k * (c0 * snd p) * (c1 * snd z))
      with (k * (c0 * c1) * (fst p * fst z - snd p * snd z)) by ring. nra.
  - apply (IH (snd z, fst z) _ 1 F); simpl; lra.
Qed.

Lemma falling_scaled c0 c1 S : 0 < c0 -> 0 < c1 -> falling (1, 0) S -> falling (1, 0) (scaled_by c0 c1 S).
Proof.
  intros C0 C1 F. apply (falling_scaled_from c0 c1 C0 C1 S (1, 0) _ (/ c1) F); simpl.
  - now apply Qinv_lt_0_compat.
  - field. lra.
  - lra.
Qed.

(** A check at the scales is one at all slopes. *)
Lemma check_option_sound look C os : (forall v, sound_curve (look v)) -> sound_curve C -> check_option look C os = true ->
  0 < total0 os /\ 0 < total1 os /\
  (forall o, In o os -> 0 <= fst (snd (fst o)) /\ 0 <= snd (snd (fst o))) /\
  forall a b, 0 <= a -> 0 <= b ->
  sum (fun o => worth (look (snd o)) (a * (fst (snd (fst o)) / total0 os)) (b * (snd (snd (fst o)) / total1 os))) os
  <= worth C a b.
Proof.
  intros Look (F & S0 & S1) H.
  unfold check_option in H. rewrite !andb_true_iff in H. destruct H as [[[[[N T0] T1] U0] U1] B].
  apply positive_bool in T0, T1, U0, U1.
  set (u0 := scale0 look C os) in *. set (u1 := scale1 look C os) in *.
  assert (forall o, In o os -> 0 <= fst (snd (fst o)) /\ 0 <= snd (snd (fst o))) as W.
  { rewrite forallb_forall in N. intros o I. specialize (N o I). apply andb_true_iff in N as [N0 N1].
    now rewrite Qle_bool_iff in N0, N1. }
  split; [exact T0|]. split; [exact T1|]. split; [exact W|]. intros a b A Bb.
  assert (0 < u0 / sum fst C) as F0 by (apply Qlt_shift_div_l; lra).
  assert (0 < u1 / sum snd C) as F1 by (apply Qlt_shift_div_l; lra).
  apply bounds_sound in B.
  - specialize (B (a / u0) (b / u1)).
    assert (0 <= a / u0) as A' by (apply Qle_shift_div_l; lra).
    assert (0 <= b / u1) as B' by (apply Qle_shift_div_l; lra).
    specialize (B A' B'). unfold worth.
    assert (hockey_stick (scaled_by (Qred (u0 / sum fst C)) (Qred (u1 / sum snd C)) C) (a / u0) (b / u1)
            == hockey_stick C (a / sum fst C) (b / sum snd C)) as <-.
    { unfold scaled_by, hockey_stick. rewrite sum_map. apply sum_ext. intros z _. apply plus_compat. cbn [fst snd].
      rewrite (Qred_correct (u0 / sum fst C)), (Qred_correct (u1 / sum snd C)). field. repeat split; lra. }
    eapply Qle_trans; [|exact B]. apply Qle_lteq. right. unfold all_of.
    unfold hockey_stick at 2. rewrite sum_flat_map, sum_map. apply sum_ext. intros o I.
    destruct (Look (snd o)) as (_ & R0 & R1).
    change (sum (fun k => plus (b / u1 * snd k - a / u0 * fst k))) with (fun K => hockey_stick K (a / u0) (b / u1)).
    cbv beta. rewrite scaled_value. cbn [fst snd].
    apply hockey_stick_compat; rewrite Qred_correct; field; repeat split; lra.
  - apply falling_scaled; trivial; rewrite Qred_correct; trivial.
  - intros p I. apply in_map_iff in I as [o [<- I]]. cbn [fst snd]. destruct (W o I) as [W0 W1].
    destruct (Look (snd o)) as (R & R0 & R1).
    split; [rewrite Qred_correct; apply Qle_shift_div_l; nra|].
    split; [rewrite Qred_correct; apply Qle_shift_div_l; nra|exact R].
Qed.

(** ** Upper bounds *)

Section Sound.
Context (l : list (positive * node)).
Hypothesis checked : check_positions l = true.
Notation T := (of_list l).
Notation K := (of_table T).

Lemma option_checked v m os : nth_error (options_at T v) m = Some os ->
  check_option (curve_at T) (curve_at T v) os = true.
Proof.
  destruct v as [k|]; simpl; [|now destruct m]. destruct (PositiveMap.find k T) as [n|] eqn:E; [|now destruct m].
  intros H. apply of_list_in in E. pose proof checked as C. unfold check_positions in C. rewrite forallb_forall in C.
  specialize (C _ E). apply andb_true_iff in C as [_ C]. rewrite forallb_forall in C.
  apply nth_error_In in H. now apply C, andb_true_iff in H.
Qed.

Lemma option_sound v m os (E : nth_error (options_at T v) m = Some os) :
  0 < total0 os /\ 0 < total1 os /\
  (forall o, In o os -> 0 <= fst (snd (fst o)) /\ 0 <= snd (snd (fst o))) /\
  forall a b, 0 <= a -> 0 <= b ->
  sum (fun o => worth (curve_at T (snd o)) (a * (fst (snd (fst o)) / total0 os))
    (b * (snd (snd (fst o)) / total1 os))) os <= worth (curve_at T v) a b.
Proof.
  apply (check_option_sound (curve_at T)); [intros u| |now apply option_checked in E]; now apply curve_at_spec.
Qed.

Lemma kernel_step_table v m os : kernel_step K v m = Some os ->
  exists o, nth_error (options_at T v) m = Some o /\ os = normal o.
Proof. simpl. destruct (nth_error (options_at T v) m) as [o|]; [|discriminate]. intros [= <-]. now exists o. Qed.

Theorem positions_sound (A : adversary (of_kernels K)) phi : is_test A phi -> forall n v a b, 0 <= a -> 0 <= b ->
  b * probability A n (start (K := K) v) phi 1 - a * probability A n (start (K := K) v) phi 0
  <= worth (curve_at T v) a b.
Proof.
  intros H. apply (certificate_sound K (fun _ v => worth (curve_at T v))); trivial.
  - intros v m os o E I. apply kernel_step_table in E as (os' & E & ->).
    destruct (option_sound v m os' E) as (T0 & T1 & W & _).
    apply in_map_iff in I as [o' [<- I]]. destruct (W o' I). cbn [fst snd].
    split; apply Qle_shift_div_l; lra.
  - intros. apply hockey_stick_nonneg.
  - intros _ v a b _ _. destruct (curve_at_spec l v checked) as (_ & S0 & S1). unfold worth.
    eapply Qle_trans; [|apply hockey_stick_ends]. unfold line. cbn [fst snd]. apply Qle_lteq. right. field. split; lra.
  - intros _ v m os E a b Ha Hb. apply kernel_step_table in E as (os' & E & ->).
    destruct (option_sound v m os' E) as (_ & _ & _ & B).
    unfold normal. rewrite sum_map. cbn [fst snd]. now apply B.
Qed.

Lemma table_probability_total (A : adversary (of_kernels K)) n v w :
  probability A n (start (K := K) v) (fun _ => 1) w == 1.
Proof.
  transitivity (likelihood (of_kernels K) w (start (K := K) v)); [|now destruct w].
  apply (probability_total A (fun _ _ => True)); [|exact I].
  intros k [u [p q]] m os _ E. split; [trivial|].
  change (step (of_kernels K) (u, (p, q)) m) with (option_map (map (fun o : Z * (Q * Q) * option positive =>
    let '(y, k, x) := o in (y, (x, (p * fst k, q * snd k))))) (kernel_step K u m)) in E.
  destruct (kernel_step K u m) as [os0|] eqn:E0; [|discriminate]. injection E as <-.
  apply kernel_step_table in E0 as (os' & E & ->).
  destruct (option_sound u m os' E) as (T0 & T1 & _ & _).
  rewrite sum_map. unfold normal. rewrite sum_map. cbn [fst snd].
  destruct w as [|w]; cbn [likelihood of_kernels fst snd].
  - transitivity (sum (fun o => p / total0 os' * fst (snd (fst o))) os').
    + apply sum_ext. intros o _. field. lra.
    + rewrite sum_scale. fold (total0 os'). field. lra.
  - transitivity (sum (fun o => q / total1 os' * snd (snd (fst o))) os').
    + apply sum_ext. intros o _. field. lra.
    + rewrite sum_scale. fold (total1 os'). field. lra.
Qed.

(** What a test gains at slope [e]: P1 - e P0, or P0 - e P1 in the reversed order. *)
Definition gained (reversed : bool) (e p0 p1 : Q) : Q := if reversed then p0 - e * p1 else p1 - e * p0.

Definition most (C : pairs) (reversed : bool) (e : Q) : Q := if reversed then 1 - e + worth C 1 e else worth C e 1.

Theorem upper_sound (A : adversary (of_kernels K)) phi : is_test A phi -> forall n v reversed e, 0 <= e ->
  gained reversed e (probability A n (start (K := K) v) phi 0) (probability A n (start (K := K) v) phi 1)
  <= most (curve_at T v) reversed e.
Proof.
  intros H n v reversed e He. destruct reversed; unfold gained, most.
  - assert (is_test A (fun h => 1 - phi h)) as H' by (intros h; specialize (H h); lra).
    pose proof (positions_sound A _ H' n v 1 e) as B. rewrite !probability_not, !table_probability_total in B. lra.
  - pose proof (positions_sound A phi H n v e 1). lra.
Qed.
End Sound.

(** ** The same in whole numbers *)

(** [worth] in whole numbers, where masses are. *)
Definition worth_scaled (C : pairs) (a b : Q) : Q :=
  let t0 := sum fst C in let t1 := sum snd C in let d := inject_Z (Zpos (Qden a) * Zpos (Qden b)) in
  hockey_stick C (Qred (a * d * t1)) (Qred (b * d * t0)) / (d * t0 * t1).

Lemma worth_scaled_spec C a b : 0 < sum fst C -> 0 < sum snd C -> worth_scaled C a b == worth C a b.
Proof.
  intros T0 T1. unfold worth_scaled, worth. set (d := inject_Z _).
  assert (0 < d) as D by (unfold d, Qlt; simpl; lia).
  assert (hockey_stick C (Qred (a * d * sum snd C)) (Qred (b * d * sum fst C))
          == d * sum fst C * sum snd C * hockey_stick C (a / sum fst C) (b / sum snd C)) as ->.
  - assert (0 <= d * sum fst C * sum snd C) as S by (apply Qmult_le_0_compat; [nra|lra]).
    rewrite <- (hockey_stick_scale C _ _ _ S). apply hockey_stick_compat; rewrite Qred_correct; field; lra.
  - field. repeat split; lra.
Qed.

Definition most_scaled (C : pairs) (reversed : bool) (e : Q) : Q :=
  if reversed then 1 - e + worth_scaled C 1 e else worth_scaled C e 1.

Lemma most_scaled_spec C reversed e : sound_curve C -> most_scaled C reversed e == most C reversed e.
Proof. intros (_ & S0 & S1). unfold most_scaled, most. destruct reversed; now rewrite worth_scaled_spec. Qed.
